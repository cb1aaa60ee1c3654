#include "conformance/testees/reference/workers/worker_steps.h"

#include <fmt/core.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "conformance/testees/reference/step_call.h"
#include "conformance/testees/reference/step_table.h"
#include "reference/distribute/strategy.h"

namespace lockstep::conformance {
namespace {

constexpr std::chrono::seconds kTimeout{10};

// Whether this process is the worker that the step names.
bool IsTarget(const StepCall& call) {
  const Topology& topology = GetStrategy().topology();
  const int64_t target = call.Integer("worker");
  if (topology.num_workers() == 1) {
    throw ProgramError("'worker' is one of several workers");
  }
  if (target < 0 || target >= topology.num_workers()) {
    throw ProgramError("there is no worker " + std::to_string(target));
  }
  return target == topology.worker().value();
}

// Waits until all workers have reached this step, or the timeout. Each worker
// marks its arrival by a file in the shared folder of the program.
void WaitForAllWorkers(const StepCall& call) {
  const Topology& topology = GetStrategy().topology();
  const auto mark = [&](int worker) {
    return fmt::format("{}/.end_of_{}_seen_by_{}", call.folder(),
                       call.Integer("worker"), worker);
  };
  std::ofstream(mark(topology.worker().value())).put('\n');
  const auto deadline = std::chrono::steady_clock::now() + kTimeout;
  for (int worker = 0; worker < topology.num_workers(); ++worker) {
    while (!std::filesystem::exists(mark(worker)) &&
           std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
}

Value End(const StepCall& call) {
  const bool is_target = IsTarget(call);
  WaitForAllWorkers(call);
  if (is_target) std::raise(SIGKILL);
  return Nothing();
}

Value Pause(const StepCall& call) {
  if (!call.Has("worker") || IsTarget(call)) call.Pause();
  return Nothing();
}

}  // namespace

std::set<int> EndedWorkers(const Json& program) {
  std::set<int> ended;
  if (!program.is_array()) return ended;
  for (const Json& step : program) {
    if (!step.is_object()) continue;
    const auto name = step.find("step");
    const auto worker = step.find("worker");
    if (name != step.end() && *name == "worker.end" && worker != step.end() &&
        worker->is_number_integer()) {
      ended.insert(worker->get<int>());
    }
    if (step.contains("program")) ended.merge(EndedWorkers(step["program"]));
  }
  return ended;
}

void AddWorkerSteps(StepTable& table) {
  table.Add("worker.end", End);
  table.Add("program.pause", Pause);
}

}  // namespace lockstep::conformance
