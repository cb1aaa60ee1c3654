// A model with what it learns by: its steps, on all replicas of the strategy
// that it was compiled in.
#ifndef LOCKSTEP_REFERENCE_TRAINING_MODEL_COMPILED_MODEL_H_
#define LOCKSTEP_REFERENCE_TRAINING_MODEL_COMPILED_MODEL_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "reference/distribute/per_replica.h"
#include "reference/distribute/strategy.h"
#include "reference/distribute/training_step/training_step.h"
#include "reference/layers/layer.h"
#include "reference/optimizers/step_log.h"
#include "reference/tensor/nest.h"
#include "reference/training/events/logs.h"
#include "reference/training/model/compile_options.h"
#include "reference/training/model/model_losses.h"
#include "reference/training/model/model_metrics.h"

namespace lockstep {

class CompiledModel {
 public:
  // In the scope of the strategy in force, if any. REQUIRES: the strategy
  // outlives this. Errors: InvalidArgument for names that there are none of;
  // FailedPrecondition for a model whose weights are not the strategy's.
  CompiledModel(const Layer& model, const CompileOptions& options);

  Strategy& strategy() const { return strategy_; }
  const std::shared_ptr<Optimizer>& optimizer() const { return optimizer_; }
  int steps_per_execution() const { return options_.steps_per_execution; }
  const CompileOptions& options() const { return options_; }

  // Each replica learns from its part of the batch; the parts of all count as
  // one batch. Errors, here and below: InvalidArgument for data that does not
  // go with the model.
  void TrainStep(const PerReplica<Batch>& batch);
  // Measures; the loss has the weights' penalties in it or not.
  void TestStep(const PerReplica<Batch>& batch, bool penalties = true);
  // What the model makes of the inputs of a batch, in the batch's order.
  Structure PredictStep(const PerReplica<Batch>& batch);

  // Moving moments become, on all replicas, the mean of their copies: replicas
  // that measure or predict then have one model.
  void SyncMovingAverages();

  // The weights become what training leaves them at: with the optimizer's use_ema
  // their averages.
  void FinalizeWeights();

  // As of Model.
  Gradients LastGradients();
  int64_t skipped_steps() const;

  // Since the last reset, over all replicas. Several workers call together.
  Logs Results();
  void ResetMetrics();
  // What a checkpoint keeps of them, once there is something, and of a window of
  // gradients that is not full.
  Trackable& metrics() { return metrics_node_; }
  // Makes weights, metrics and the optimizer's state for such a batch, if they
  // are not there.
  void Prepare(const PerReplica<Batch>& batch);
  // The same, and what else the first steps make: weights of layers that are
  // built by their first call, the optimizer's state. For a run that goes on
  // where another ended, perhaps without one more step.
  void PrepareToResume(const PerReplica<Batch>& batch);

 private:
  void BuildModel(const Structure& x);
  void MakeLossesAndMetrics(const Batch& first);
  OutputMetric MakeMetric(const MetricChoice& choice, size_t output,
                          bool weighted, const Shape& labels) const;
  std::vector<std::string> OutputNames(size_t outputs) const;
  std::vector<OutputLoss> ChooseLosses() const;
  std::vector<OutputMetric> ChooseMetrics(
      const std::vector<Tensor>& labels) const;
  // Of all workers. REQUIRES, here and below: replica context.
  int64_t GlobalRows(int64_t rows_here, const Batch& part) const;
  struct StepKind {
    bool training;
    bool penalties = true;
  };
  struct Outcome;
  // What the model makes of a replica's part, and its part of the loss.
  Outcome Forward(const Batch& part, int64_t rows_here, const StepKind& kind);

  const Layer model_;
  const CompileOptions options_;
  Strategy& strategy_;
  const std::shared_ptr<Optimizer> optimizer_;
  TrainingStep step_;
  std::vector<std::string> outputs_;  // their names
  std::vector<Shape> output_shapes_;
  std::unique_ptr<ModelLosses> losses_;
  std::unique_ptr<ModelMetrics> metrics_;
  std::shared_ptr<StepLog> step_log_;
  Trackable metrics_node_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_TRAINING_MODEL_COMPILED_MODEL_H_
