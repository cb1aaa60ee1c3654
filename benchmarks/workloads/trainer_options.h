// The options of a measured training.
#ifndef LOCKSTEP_BENCHMARKS_WORKLOADS_TRAINER_OPTIONS_H_
#define LOCKSTEP_BENCHMARKS_WORKLOADS_TRAINER_OPTIONS_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "benchmarks/measurement/planted_slowdown.h"
#include "benchmarks/workloads/chosen_strategy.h"

namespace lockstep::benchmarks {

struct TrainerOptions {
  int replicas = 1;  // of this worker
  int threads_per_replica = 1;
  bool mirrored = true;  // false: without a strategy. REQUIRES: 1 replica
  int64_t global_batch_size = 0;  // 0: the workload's, for each replica
  uint64_t seed = 42;
  int epochs = 1;  // how many will be trained, for what decays until their end
  int steps_per_epoch = 0;     // at most; 0: as the workload has it
  std::string device = "cpu";  // or gpu
  bool trace = false;          // the first steps after the warm-up
  bool graph = true;           // on GPUs: steps as CUDA graphs
  bool each_step = false;      // keep the times of every step. REQUIRES: CPUs
  // In every step. REQUIRES: each_step where it is a share of the step.
  PlantedSlowdown planted = {};
  std::optional<ConnectedWorkers> workers =
      std::nullopt;  // this one and the others
};

// Called in an epoch, on the loop's thread; not part of any time.
// Each returns false to stop.
struct EpochHooks {
  std::function<bool(int64_t examples)> step_is_over;
  std::function<bool()> steps_are_over = [] { return true; };
};

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_WORKLOADS_TRAINER_OPTIONS_H_
