// Trains a workload under a MirroredStrategy, over several workers or without a
// strategy, epoch by epoch, and keeps the times of every step.
//
//   Trainer trainer(workload, {.replicas = 2, .threads_per_replica = 1});
//   EpochResult first = trainer.TrainEpoch({.step_is_over = Draw});
//   trainer.Result().blocks;       // images/s of each block of steps
//
// One epoch goes over the shuffled training images in global batches (the last
// one may be short), or as often as its number of steps asks for, and then once
// over the test images.
//
// Of several workers each has a trainer, and makes the same calls of TrainEpoch,
// Result and Trace; an epoch begins when all have come to it. What they have
// measured is then known to each: losses, accuracies and images are of all
// replicas of all workers, whose steps take the time that they take here, since
// no worker begins a step before all have done the one before. Errors of all
// three: those of a strategy over several workers.
#ifndef LOCKSTEP_BENCHMARKS_WORKLOADS_TRAINER_H_
#define LOCKSTEP_BENCHMARKS_WORKLOADS_TRAINER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/measurement/planted_slowdown.h"
#include "benchmarks/measurement/training_result.h"
#include "benchmarks/workloads/chosen_strategy.h"
#include "benchmarks/workloads/workload.h"
#include "reference/base/trace_events.h"

namespace lockstep::benchmarks {

struct TrainerOptions {
  int replicas = 1;  // of this worker
  int threads_per_replica = 1;
  bool mirrored = true;  // false: without a strategy. REQUIRES: 1 replica
  int64_t global_batch_size = 0;  // 0: the workload's, for each replica
  uint64_t seed = 42;
  int steps_per_epoch = 0;     // at most; 0: as the workload has it
  std::string device = "cpu";  // or gpu
  bool trace = false;          // the first steps behind the warm-up
  bool graph = true;           // on GPUs: steps as CUDA graphs
  bool each_step = false;      // keep the times of every step. REQUIRES: CPUs
  // In every step. REQUIRES: each_step where it is a share of the step.
  PlantedSlowdown planted = {};
  std::optional<ConnectedWorkers> workers = std::nullopt;  // this among others
};

// What the caller does in an epoch, on the loop's thread; no part of any time.
// Each returns false to stop.
struct EpochHooks {
  std::function<bool(int64_t images)> step_is_over;
  std::function<bool()> steps_are_over = [] { return true; };
};

class Trainer {
 public:
  Trainer(const Workload& workload, const TrainerOptions& options);
  ~Trainer();

  // Trains one epoch and evaluates. Nothing when a hook stopped it.
  std::optional<EpochResult> TrainEpoch(const EpochHooks& hooks);

  // Training images of one epoch.
  int64_t images_per_epoch() const;

  // Steps of one epoch.
  int64_t steps_per_epoch() const;

  // What has been measured so far.
  TrainingResult ResultSoFar() const;

  // The same, with the copies compared bit by bit, those of all workers.
  TrainingResult Result() const;

  // The other workers are to end, in whatever they are. Result and Trace are
  // then of what was measured here, and copies there are compared with nobody's.
  void GiveUp();

  // Times the libraries' calls of a step, each alone, where there is one
  // replica and a GPU. Takes memory for each of them.
  std::optional<LibraryTime> TimeLibraries() const;

  // The traced steps; one track a replica of all workers, and one a GPU's stream.
  TraceProcess Trace() const;

 private:
  struct State;
  const ConnectedWorkers* workers() const;
  std::vector<std::string> Exchange(const std::string& name,
                                    const std::string& mine) const;
  void CheckWorkersEqual() const;

  const std::unique_ptr<ChosenStrategy> chosen_;
  std::unique_ptr<State> state_;
};

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_WORKLOADS_TRAINER_H_
