// A worker process for tests. Trains with two replicas and prints the losses and
// weights, or its error.
//
//   multi_worker_worker WORKER NUM_WORKERS PORT EXAMPLES [ACT [FOLDER]]
//   mpirun -np 2 multi_worker_worker EXAMPLES
//
// The chief has port 0, and prints its port first. Under mpirun a worker first prints
// the transport of the tensors, in the same line. ACT changes what it does:
//
//   killed                exits without a message after all workers have joined
//   program, version, token, address
//                         uses another one than the other workers
//   host                  looks for the chief under a name that does not exist
//   impatient             waits 3 s for the others; so does "host"
//   reduces, reduces_more, gathers
//                         makes such a call before training, and prints its error
//   fits FOLDER           prints when it begins, fits with backups in the folder
//                         in place of the training, and prints the weights
#include <fmt/ranges.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "reference/base/error.h"
#include "reference/base/log.h"
#include "reference/cluster/cluster_resolver.h"
#include "reference/cluster/launcher_cluster_resolvers.h"
#include "reference/collectives/mpi/mpirun_testing.h"
#include "reference/device/device.h"
#include "reference/distribute/multi_worker/multi_worker_mirrored_strategy.h"
#include "reference/training/callbacks/shuffled_fit_testing.h"
#include "reference/training/linear_training.h"

namespace lockstep {
namespace {

// The arguments of the command line.
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

void Say(const std::string& line) {
  std::puts(line.c_str());
  std::fflush(stdout);
}

void Tell(const Error& error) {
  const std::string code(CodeName(error.code()));
  Say(code + ": " + error.what());
}

MultiWorkerMirroredStrategyOptions OptionsOf(int port, const std::string& act) {
  MultiWorkerMirroredStrategyOptions options;
  options.threads_per_replica = 1;
  options.control.chief = WorkerAddress{"127.0.0.1", port};
  options.control.listening = [](int bound) { Say(std::to_string(bound)); };
  constexpr char kOther[] = "other.invalid";
  if (act == "program") options.control.program = kOther;
  if (act == "version") options.control.library_version = kOther;
  if (act == "token") options.control.token = kOther;
  if (act == "host") options.control.chief->host = kOther;
  if (act == "address") options.communication.gloo.address = kOther;
  if (act == "host" || act == "impatient") {
    options.control.join_timeout = std::chrono::seconds(3);
  }
  return options;
}

// Its error does not end the process.
void Call(Strategy& strategy, const std::string& act) {
  const int64_t length = act == "reduces_more" ? 3 : 2;
  const auto values =
      strategy.DistributeValuesFromFunction([&](const ValueContext&) {
        return Tensor::FromVector(std::vector<float>(length, 1), {length});
      });
  try {
    if (act == "gathers") {
      strategy.Gather(values, 0);
    } else {
      strategy.Reduce(ReduceOp::kSum, values);
    }
  } catch (const Error& error) {
    Tell(error);
  }
}

void Run(int worker, int num_workers, int port, int examples,
         const std::string& act, const std::string& folder) {
  SetLogicalCpuDevices(2);
  MultiWorkerMirroredStrategy strategy(ToldResolver(worker, num_workers),
                                       OptionsOf(port, act));
  if (act == "fits") {
    Say("begins");
    Say(fmt::format("{}", fmt::join(FitShuffled(strategy, folder), ",")));
    return;
  }
  LinearTraining training(strategy);
  if (act == "killed") std::_Exit(9);
  if (act.starts_with("reduces") || act == "gathers") Call(strategy, act);
  Say(OutcomeOf(training, examples));
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
  Say(carrier + " " + OutcomeOf(training, examples));
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
                  std::atoi(argv[4]), argc > 5 ? argv[5] : "",
                  argc > 6 ? argv[6] : "");
    return 0;
  } catch (const lockstep::Error& error) {
    lockstep::Tell(error);
    return 1;
  }
}
