// Trains a workload under a MirroredStrategy, over several workers or without a
// strategy, epoch by epoch, and keeps the times of every step.
//
//   Trainer trainer(workload, {.replicas = 2, .threads_per_replica = 1});
//   EpochResult first = trainer.TrainEpoch({.step_is_over = Draw});
//   trainer.Result().blocks;       // examples/s of each block of steps
//
// One epoch goes over the shuffled training examples in global batches (the last
// one may be short), or as many as its number of steps, and then once
// over the test examples.
//
// With several workers, each has a trainer and makes the same calls of
// TrainEpoch, Result and Trace; an epoch begins when all have reached it. Then
// each has the results of all: losses, qualities and examples are of all
// replicas of all workers. Steps take the same time on all of them, since no
// worker begins a step before all have finished the one before. Errors of all
// three: those of a strategy over several workers.
#ifndef LOCKSTEP_BENCHMARKS_WORKLOADS_TRAINER_H_
#define LOCKSTEP_BENCHMARKS_WORKLOADS_TRAINER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/measurement/training_result.h"
#include "benchmarks/workloads/chosen_strategy.h"
#include "benchmarks/workloads/trainer_options.h"
#include "benchmarks/workloads/training_loop.h"
#include "benchmarks/workloads/workload.h"
#include "reference/base/trace_events.h"

namespace lockstep::benchmarks {

class Trainer {
 public:
  Trainer(const Workload& workload, const TrainerOptions& options);
  ~Trainer();

  // Trains one epoch and evaluates. Nothing when a hook stopped it.
  std::optional<EpochResult> TrainEpoch(const EpochHooks& hooks);

  // Training examples of one epoch.
  int64_t examples_per_epoch() const;

  // Steps of one epoch.
  int64_t steps_per_epoch() const;

  // What the qualities of epochs are.
  Quality quality() const { return loop_->quality(); }

  // What has been measured so far.
  TrainingResult ResultSoFar() const;

  // The same, with the copies compared bit by bit, those of all workers.
  TrainingResult Result() const;

  // Makes the other workers end, whatever they do. Result and Trace are then of
  // this worker only, and copies are not compared with other workers'.
  void GiveUp();

  // Times the libraries' calls of a step, each alone, where there is one
  // replica and a GPU. Takes memory for each of them.
  std::optional<LibraryTime> TimeLibraries() const;

  // The traced steps; one track per replica of all workers, and one per stream
  // of a GPU.
  TraceProcess Trace() const;

 private:
  const ConnectedWorkers* workers() const;
  std::vector<std::string> Exchange(const std::string& name,
                                    const std::string& mine) const;
  void CheckWorkersEqual() const;

  const TrainerOptions options_;
  const Workload workload_;
  const std::unique_ptr<ChosenStrategy> chosen_;
  std::unique_ptr<TrainingLoop> loop_;
  std::vector<EpochResult> epochs_;
  bool given_up_ = false;  // on the other workers
};

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_WORKLOADS_TRAINER_H_
