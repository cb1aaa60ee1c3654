// The custom training loop of the document, measured: each global batch goes to
// the replicas as one training step, then the test examples are evaluated.
//
//   TrainingLoop loop(workload, options, chosen);   // within ChosenStrategy::Here
//   std::optional<EpochResult> epoch = loop.RunEpoch(hooks);
//   loop.meter().Describe(result);
//
// The step itself is reference/distribute/training_step/training_step.h; the
// loop listens to its phases for the meter. On a GPU a step is captured as a
// graph and launched.
#ifndef LOCKSTEP_BENCHMARKS_WORKLOADS_TRAINING_LOOP_H_
#define LOCKSTEP_BENCHMARKS_WORKLOADS_TRAINING_LOOP_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "benchmarks/measurement/step_meter.h"
#include "benchmarks/measurement/training_result.h"
#include "benchmarks/workloads/chosen_strategy.h"
#include "benchmarks/workloads/trainer_options.h"
#include "benchmarks/workloads/workload.h"
#include "reference/distribute/input/distributed_dataset.h"
#include "reference/distribute/step_graph/step_graph.h"
#include "reference/distribute/training_step/training_step.h"
#include "reference/kernels/gpu_libraries.h"

namespace lockstep::benchmarks {

class TrainingLoop {
 public:
  TrainingLoop(const Workload& workload, const TrainerOptions& options,
               const ChosenStrategy& chosen);

  // Trains one epoch and evaluates. Nothing when a hook stopped it.
  std::optional<EpochResult> RunEpoch(const EpochHooks& hooks);

  // Training examples and steps of one epoch.
  int64_t ExamplesPerEpoch() const;
  int64_t StepsPerEpoch() const;

  int64_t global_batch_size() const { return global_batch_size_; }
  Strategy& strategy() const { return strategy_; }
  Quality quality() const { return task_->quality(); }
  const std::vector<VariablePtr>& weights() const { return task_->weights(); }
  const Optimizer& optimizer() const { return *optimizer_; }
  const StepMeter& meter() const { return meter_; }
  const StepGraphStatistics& graph_statistics() const {
    return graph_.statistics();
  }
  // Of a step of one replica on a GPU; empty for all others.
  const LibraryCalls& library_calls() const { return library_calls_; }

 private:
  struct TrainedEpoch {
    double seconds = 0;
    int64_t examples = 0;
  };

  Dataset TrainingData(const Dataset& examples, uint64_t seed) const;
  void DrawTrainingData(int epoch);
  void MakeTask();
  TaskFigures Figures() const;
  bool RecordsLibraryCalls() const;
  void TrainOnReplica(const Structure& batch);
  void Mark(StepPhase phase);
  std::optional<TrainedEpoch> Train(const EpochHooks& hooks);
  int64_t TrainStep(const PerReplica<Structure>& batch,
                    int64_t examples_before);
  int64_t ExamplesOf(const PerReplica<Structure>& batch,
                     int64_t examples_before) const;
  void Evaluate();

  const Workload workload_;
  const TrainerOptions options_;
  Strategy& strategy_;
  const int64_t global_batch_size_;
  const ChosenStrategy& chosen_;
  DistributedDataset train_;
  DistributedDataset test_;
  std::unique_ptr<Task> task_;
  std::shared_ptr<Optimizer> optimizer_;
  std::optional<TrainingStep> step_;

  LibraryCalls library_calls_;
  StepMeter meter_;
  StepGraph<void> graph_;
  int epochs_ = 0;  // trained so far
};

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_WORKLOADS_TRAINING_LOOP_H_
