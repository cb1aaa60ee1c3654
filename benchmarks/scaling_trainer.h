// What each trainer of the scaling benchmark trains, and on what.
#ifndef LOCKSTEP_BENCHMARKS_SCALING_TRAINER_H_
#define LOCKSTEP_BENCHMARKS_SCALING_TRAINER_H_

#include <memory>
#include <optional>
#include <string>

#include "benchmarks/scaling_options.h"
#include "benchmarks/workloads/trainer.h"
#include "benchmarks/workloads/workload.h"

namespace lockstep::benchmarks {

// The workload that the command line names, with its images read or made.
// Errors: InvalidArgument for an unknown name, and those of reading images.
Workload ChooseWorkload(const ScalingOptions& options);

struct Configuration {
  int workers = 1;
  int replicas = 1;  // of each worker
  bool mirrored = true;

  // "2 replicas", "2 workers x 1 replica", "no strategy"
  std::string Label() const;
};

// A trainer for one configuration: for this worker, where `connected` says
// which of several it is. All configurations have the same cores, which the
// replicas of all workers share. Errors: those of Trainer; InvalidArgument for
// a batch that cannot be divided.
std::unique_ptr<Trainer> MakeTrainer(
    const ScalingOptions& options, const Workload& workload,
    const Configuration& configuration,
    const std::optional<ConnectedWorkers>& connected = std::nullopt);

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_SCALING_TRAINER_H_
