// A worker in a process of its own, for tests: trains with two replicas, and
// prints the losses and weights.
//
//   multi_worker_worker WORKER NUM_WORKERS PORT EXAMPLES [killed]
//
// Port 0 is for the chief, which prints its port first. With "killed" it ends
// without a word when all are there; the others print their error.
#include <fmt/ranges.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "reference/base/error.h"
#include "reference/cluster/cluster_resolver.h"
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
  const LinearOutcome outcome = training.Train(examples);
  std::printf("%s %s\n",
              fmt::format("{}", fmt::join(outcome.losses, ",")).c_str(),
              fmt::format("{}", fmt::join(outcome.weights, ",")).c_str());
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
  if (argc < 5) return 2;
  try {
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
