// A model with its optimizer, losses and metrics. Runs training, test and predict
// steps on all replicas of the strategy in whose scope it was compiled.
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
  // Uses the current strategy. REQUIRES: the strategy outlives this object.
  // Errors: InvalidArgument for unknown names of the optimizer and of losses;
  // FailedPrecondition if the model's weights were created outside the strategy's
  // scope.
  CompiledModel(const Layer& model, const CompileOptions& options);

  Strategy& strategy() const { return strategy_; }
  const std::shared_ptr<Optimizer>& optimizer() const { return optimizer_; }
  int steps_per_execution() const { return options_.steps_per_execution; }
  const CompileOptions& options() const { return options_; }

  // Errors: InvalidArgument for an unknown name. Not at the start, because a model
  // file may name metrics of a custom class.
  void CheckMetricNames() const;

  // Trains with a batch, of which each replica has a part. Errors, here and below:
  // InvalidArgument if the data do not fit the model.
  void TrainStep(const PerReplica<Batch>& batch);
  // Updates the metrics. `penalties`: the loss includes the weights' penalties.
  void TestStep(const PerReplica<Batch>& batch, bool penalties = true);
  // Returns the predictions for a batch, in the batch's order.
  Structure PredictStep(const PerReplica<Batch>& batch);

  // Sets moving averages on all replicas to the mean of the replicas' copies, so
  // that all replicas evaluate and predict with the same model.
  void SyncMovingAverages();

  // Sets the weights to their final values after training: their averages, if the
  // optimizer has use_ema.
  void FinalizeWeights();

  // As Model's.
  Gradients LastGradients();
  int64_t skipped_steps() const;

  // Under a ParameterServerStrategy the metrics' state is in this process, not on
  // the servers: each worker returns it with a step, and the coordinator adds it
  // up. Reads and clears it; adds another process's.
  Structure TakeMetricState();
  void AddMetricState(const Structure& state);

  // The results since the last reset, over all replicas. With several workers, all
  // must call it.
  Logs Results();
  void ResetMetrics();
  // The metrics' state and the gradients of an incomplete window, for
  // checkpoints.
  Trackable& metrics() { return metrics_node_; }
  // Creates the weights, metrics and the optimizer's state for such a batch, if
  // they do not exist yet.
  void Prepare(const PerReplica<Batch>& batch);
  // The same, and also everything else that the first step creates: weights of
  // layers that are built by their first call, and the optimizer's state. For a
  // run that resumes another one, maybe without a further step.
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
  // The rows on all workers. REQUIRES, here and below: replica context.
  int64_t GlobalRows(int64_t rows_here, const Batch& part) const;
  struct StepKind {
    bool training;
    bool penalties = true;
  };
  struct Outcome;
  // Returns the predictions and the loss for a replica's part. Errors:
  // InvalidArgument in training, if there is neither a loss nor a penalty.
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
  std::vector<VariablePtr> local_metrics_;  // see TakeMetricState
  std::shared_ptr<StepLog> step_log_;
  Trackable metrics_node_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_TRAINING_MODEL_COMPILED_MODEL_H_
