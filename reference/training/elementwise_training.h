// A small model with all kinds of state that a step changes, for tests on GPUs. Its
// step uses only our kernels, so that it also runs on emulated GPUs.
//
//   DeviceScope on(gpu);
//   ElementwiseTraining training(std::make_shared<Adam>());
//   training.Step(MakeStepInput(gpu, 0));
#ifndef LOCKSTEP_REFERENCE_TRAINING_ELEMENTWISE_TRAINING_H_
#define LOCKSTEP_REFERENCE_TRAINING_ELEMENTWISE_TRAINING_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "reference/metrics/accuracy.h"
#include "reference/metrics/metric.h"
#include "reference/optimizers/optimizer.h"

namespace lockstep {

struct StepInput {
  Tensor x;            // (8, 2)
  Tensor targets;      // (8, 2)
  Tensor labels;       // int64 (8,), the class of each row
  Tensor loss_factor;  // a scalar; if infinite, the step is not finite
};

// A different input for each step.
StepInput MakeStepInput(Device& device, int step, float loss_factor = 1);

class ElementwiseTraining {
 public:
  // On the current device.
  explicit ElementwiseTraining(std::shared_ptr<Optimizer> optimizer);

  // y = x * w + b, its squared error, a step and the metrics.
  void Step(const StepInput& input);

  // The variables that Step changes.
  std::vector<VariablePtr> state() const;
  const Optimizer& optimizer() const { return *optimizer_; }

 private:
  VariablePtr w_;
  VariablePtr b_;
  std::shared_ptr<Optimizer> optimizer_;
  Mean loss_{"loss"};
  Sum sum_;
  MeanSquaredError error_;
  SparseCategoricalAccuracy accuracy_;
  Precision precision_;
};

// Optimizers with different options, with and without a loss scale.
struct OptimizerCase {
  std::string name;
  std::function<std::shared_ptr<Optimizer>()> make;
  bool skips = false;  // skips steps that are not finite
};
std::vector<OptimizerCase> AllOptimizerCases();

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_TRAINING_ELEMENTWISE_TRAINING_H_
