// Training on several workers. Without a launcher these are on this machine: the
// program that the user starts is worker 0, and starts a process for each of the
// others.
//
//   // In worker 0:
//   OtherWorkers others(options, {.workers = 2});
//   auto trainer = MakeTrainer(options, workload, configuration, others.Meet());
//   ... every epoch, the result, the trace ...
//   trainer.reset();
//   others.Join();
//
//   // In a process that it has started:
//   if (options.place.worker > 0) return RunWorker(options);
//
// Where a launcher has started all of them (options.chief) each finds out which
// one it is, and worker 0 makes its trainer with MeetLaunched.
#ifndef LOCKSTEP_BENCHMARKS_SCALING_WORKERS_H_
#define LOCKSTEP_BENCHMARKS_SCALING_WORKERS_H_

#include <memory>
#include <string>
#include <vector>

#include "benchmarks/process/worker_process.h"
#include "benchmarks/scaling_options.h"
#include "benchmarks/scaling_trainer.h"
#include "reference/cluster/cluster_spec.h"

namespace lockstep::benchmarks {

// They are killed when this object goes.
class OtherWorkers {
 public:
  OtherWorkers(const ScalingOptions& options,
               const Configuration& configuration);

  // Starts them, and returns when all have come. Errors: those of ChildProcess
  // and of ConnectWorkers.
  ConnectedWorkers Meet();

  // How those ended that have ended other than well, a line each.
  std::vector<std::string> Problems();

  // Waits until all have ended. REQUIRES: worker 0's trainer is gone, for which
  // they wait. Errors: Unavailable where one has not ended well.
  void Join();

 private:
  const std::vector<std::string> words_;
  const Configuration configuration_;
  std::vector<std::unique_ptr<WorkerProcess>> processes_;
};

// What the launcher says; a process for itself where options.chief is empty.
// Errors: those of EnvironmentClusterResolver.
ClusterSpec FindCluster(const ScalingOptions& options);

// Returns when all have come. Errors: those of ConnectWorkers; InvalidArgument
// where options.chief is no address.
ConnectedWorkers MeetLaunched(const ScalingOptions& options);

// What another worker than the first does, from its beginning to its end; the
// exit status. Errors: those of ChooseWorkload, ConnectWorkers and Trainer.
int RunWorker(const ScalingOptions& options);
// The same where a launcher has started it. REQUIRES: options.chief
int RunLaunchedWorker(const ScalingOptions& options);

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_SCALING_WORKERS_H_
