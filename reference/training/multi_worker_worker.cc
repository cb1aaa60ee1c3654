// A worker in a process of its own, for tests: trains with two replicas, and
// prints the losses and weights.
//
//   multi_worker_worker WORKER NUM_WORKERS PORT EXAMPLES [killed]
//   mpirun -np 2 multi_worker_worker EXAMPLES
//
// Port 0 is for the chief, which prints its port first. With "killed" it ends
// without a word when all are there; the others print their error. Under mpirun
// it first says what carried the tensors, in the same line.
#include <fmt/ranges.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "reference/base/error.h"
#include "reference/base/log.h"
#include "reference/cluster/cluster_resolver.h"
#include "reference/cluster/launcher_cluster_resolvers.h"
#include "reference/collectives/mpi/mpirun_testing.h"
#include "reference/device/device.h"
#include "reference/distribute/multi_worker/multi_worker_mirrored_strategy.h"
#include "reference/training/linear_training.h"

namespace lockstep {
namespace {

// What this process was told on its command line.
class ToldResolver : public ClusterResolver {
 public:
  ToldResolver(int worker, int num_workers)
      : worker_(worker), num_workers_(num_workers) {}
  ClusterSpec Resolve() const override {
    return ClusterSpec({.num_workers = num_workers_, .worker = worker_});
  }
  std::string_view name() const override { return "the command line"; }

 private:
  WorkerId worker_;
  int num_workers_;
};

std::string OutcomeOf(LinearTraining& training, int examples) {
  const LinearOutcome outcome = training.Train(examples);
  return fmt::format("{} {}", fmt::join(outcome.losses, ","),
                     fmt::join(outcome.weights, ","));
}

void Run(int worker, int num_workers, int port, int examples, bool killed) {
  SetLogicalCpuDevices(2);
  MultiWorkerMirroredStrategyOptions options;
  options.threads_per_replica = 1;
  options.control.chief = WorkerAddress{"127.0.0.1", port};
  options.control.listening = [](int bound) {
    std::printf("%d\n", bound);
    std::fflush(stdout);
  };
  MultiWorkerMirroredStrategy strategy(ToldResolver(worker, num_workers),
                                       options);
  LinearTraining training(strategy);
  if (killed) std::_Exit(9);
  std::puts(OutcomeOf(training, examples).c_str());
}

void RunUnderMpirun(int examples) {
  SetLogicalCpuDevices(2);
  const LogCapture log;
  MultiWorkerMirroredStrategyOptions options;
  options.threads_per_replica = 1;
  options.control = MeetInFile(OpenMpiClusterResolver().Resolve());
  MultiWorkerMirroredStrategy strategy(options);
  std::string carrier;
  for (const std::string& line : log.lines()) {
    const size_t at = line.find("tensors by ");
    if (at != std::string::npos) carrier = line.substr(at);
  }
  LinearTraining training(strategy);
  std::puts((carrier + " " + OutcomeOf(training, examples)).c_str());
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
  try {
    if (argc == 2) {
      lockstep::RunUnderMpirun(std::atoi(argv[1]));
      return 0;
    }
    if (argc < 5) return 2;
    lockstep::Run(std::atoi(argv[1]), std::atoi(argv[2]), std::atoi(argv[3]),
                  std::atoi(argv[4]), argc > 5);
    return 0;
  } catch (const lockstep::Error& error) {
    std::printf("%s: %s\n",
                std::string(lockstep::CodeName(error.code())).c_str(),
                error.what());
    return 1;
  }
}
