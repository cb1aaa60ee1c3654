// The program of the tests of fit with real processes: y = 3x - 1 by a dense layer
// and SGD, all numbers exact.
//
//   FitProgram program(cluster);
//   program.model->Fit(program.train, {.epochs = 2, .steps_per_epoch = 4});
#ifndef LOCKSTEP_REFERENCE_TRAINING_PARAMETER_SERVER_FIT_PROGRAM_TESTING_H_
#define LOCKSTEP_REFERENCE_TRAINING_PARAMETER_SERVER_FIT_PROGRAM_TESTING_H_

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "reference/distribute/strategy.h"
#include "reference/layers/core_layers.h"
#include "reference/layers/initializers.h"
#include "reference/layers/layer_impl.h"
#include "reference/losses/regression_losses.h"
#include "reference/optimizers/update_rules.h"
#include "reference/parameter_server/coordinator/parameter_server_strategy.h"
#include "reference/parameter_server/variables/partitioners.h"
#include "reference/preprocessing/numeric/rescaling.h"
#include "reference/training/batches/dataset_creator.h"
#include "reference/training/model/model.h"

namespace lockstep {

inline ControlPlaneOptions FitControl() {
  return {.program = "fit",
          .join_timeout = std::chrono::seconds(30),
          .heartbeat_interval = std::chrono::seconds(1),
          .heartbeat_timeout = std::chrono::seconds(2)};
}

// x = 0, 1, 2, 3 and y = 3x - 1, in two batches, forever.
inline Dataset FitData() {
  const Tensor x = Tensor::FromVector<float>({0, 1, 2, 3}, Shape{4, 1});
  const Tensor y = Tensor::FromVector<float>({-1, 2, 5, 8}, Shape{4, 1});
  return Dataset::FromTensorSlices({x, y}).Batch(2).Repeat();
}

// The same, made of other numbers by a layer that prepares data.
inline Dataset FitDataByALayer() {
  const Rescaling half(0.5);
  const Tensor x = Tensor::FromVector<float>({0, 2, 4, 6}, Shape{4, 1});
  const Tensor y = Tensor::FromVector<float>({-1, 2, 5, 8}, Shape{4, 1});
  return Dataset::FromTensorSlices({x, y})
      .Map([half](const Structure& row) {
        return Structure::Tuple({half(row[0]), row[1]});
      })
      .Batch(2)
      .Repeat();
}

// A model in the current strategy's scope: two weights, and momentum. The rate
// is so small that training also converges where each gradient is one update
// late, as with two workers: 0.0625 would do on one only.
inline std::unique_ptr<Sequential> FitModel(int steps_per_execution) {
  ClearSession();  // workers are new processes: names are counted from 0 there
  auto model = std::make_unique<Sequential>(std::initializer_list<Layer>{
      Dense(1, {.kernel_initializer = initializers::Zeros()})});
  model->Compile({.optimizer = std::make_shared<Sgd>(
                      SgdOptions{.learning_rate = 0.015625, .momentum = 0.5}),
                  .loss = losses::MeanSquaredError(),
                  .metrics = {"mean_absolute_error"},
                  .steps_per_execution = steps_per_execution});
  return model;
}

struct FitProgram {
  explicit FitProgram(const ParameterServerCluster& cluster,
                      int steps_per_execution = 1)
      : strategy(cluster, {.partitioner = FixedShardsPartitioner(2),
                           .threads_per_worker = 1,
                           .control = FitControl()}) {
    const StrategyScope scope = strategy.Scope();
    model = FitModel(steps_per_execution);
  }

  ParameterServerStrategy strategy;
  std::unique_ptr<Sequential> model;
  const DatasetCreator train{"train",
                             [](const InputContext&) { return FitData(); }};
};

// Without a strategy, on this process alone.
inline History FitAlone(const FitOptions& options) {
  return FitModel(1)->Fit(FitData(), options);
}

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_TRAINING_PARAMETER_SERVER_FIT_PROGRAM_TESTING_H_
