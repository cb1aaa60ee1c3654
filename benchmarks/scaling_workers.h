// Training on several workers. Without a launcher these are on this machine:
// the program that the user starts is worker 0, and starts a process for each
// of the others.
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
// Under a launcher (options.chief) each finds out which worker it is, and
// worker 0 makes its trainer with MeetLaunched.
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

// They are killed when this object is destroyed.
class OtherWorkers {
 public:
  OtherWorkers(const ScalingOptions& options,
               const Configuration& configuration);

  // Starts them, and returns when all have come. Errors: those of ChildProcess
  // and of ConnectWorkers.
  ConnectedWorkers Meet();

  // How failed workers ended, a line each.
  std::vector<std::string> Problems();

  // Waits until all have ended. REQUIRES: worker 0's trainer, for which they
  // wait, is destroyed. Errors: Unavailable if one failed.
  void Join();

 private:
  const std::vector<std::string> words_;
  const Configuration configuration_;
  std::vector<std::unique_ptr<WorkerProcess>> processes_;
};

// The launcher's cluster; a single process where options.chief is empty.
// Errors: those of EnvironmentClusterResolver.
ClusterSpec FindCluster(const ScalingOptions& options);

// Returns when all have come. Errors: those of ConnectWorkers; InvalidArgument
// where options.chief is no address.
ConnectedWorkers MeetLaunched(const ScalingOptions& options);

// The main function of every worker but the first; the exit status. Errors:
// those of ChooseWorkload, ConnectWorkers and Trainer.
int RunWorker(const ScalingOptions& options);
// The same under a launcher. REQUIRES: options.chief
int RunLaunchedWorker(const ScalingOptions& options);

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_SCALING_WORKERS_H_
