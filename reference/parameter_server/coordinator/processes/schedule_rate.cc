// How many functions that do nothing a coordinator schedules in a second, and how
// many that add to a variable: 2 workers and 1 parameter server on this machine.
//
//   ./bazelw run -c opt //reference/parameter_server/coordinator/processes:schedule_rate
//
// prints a line for each, with the median of five rounds, after one that is not
// counted. Each round schedules 2000 functions and joins. That all were applied is
// checked.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <vector>

#include "reference/base/error.h"
#include "reference/parameter_server/coordinator/processes/cluster_processes_testing.h"
#include "reference/parameter_server/coordinator/processes/counting_program_testing.h"

namespace lockstep {
namespace {

constexpr int kFunctions = 2000;
constexpr int kRounds = 5;

double SecondsOf(const std::function<void()>& action) {
  const auto start = std::chrono::steady_clock::now();
  action();
  const std::chrono::duration<double> took =
      std::chrono::steady_clock::now() - start;
  return took.count();
}

void Report(const char* name, const std::function<void()>& round) {
  round();
  std::vector<double> rates;
  for (int i = 0; i < kRounds; ++i)
    rates.push_back(kFunctions / SecondsOf(round));
  std::ranges::sort(rates);
  fmt::print("{}: {:.0f} functions/s (median of {}, {:.0f} to {:.0f})\n", name,
             rates[kRounds / 2], kRounds, rates.front(), rates.back());
}

int Run() {
  ClusterProcesses processes({.workers = 2, .servers = 1});
  CountingProgram program(processes.cluster());
  ClusterCoordinator coordinator(program.strategy);
  const auto schedule = [&](const WorkerFunction& function,
                            const PositionalArguments& arguments) {
    for (int i = 0; i < kFunctions; ++i) {
      coordinator.Schedule(function, arguments);
    }
    coordinator.Join();
  };
  Report("empty", [&] { schedule(program.empty, {}); });
  Report("add", [&] { schedule(program.add, {Tensor::Scalar(1.0f)}); });
  const float counted = program.counter->Read().item<float>();
  fmt::print("applied: {} of {}\n", counted, kFunctions * (kRounds + 1));
  return counted == kFunctions * (kRounds + 1) ? 0 : 1;
}

}  // namespace
}  // namespace lockstep

int main() {
  try {
    return lockstep::Run();
  } catch (const lockstep::Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
