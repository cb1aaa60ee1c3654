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

constexpr std::chrono::seconds kPatience{10};

// Whether this process is the worker that the step is about.
bool IsMeant(const StepCall& call) {
  const Topology& topology = GetStrategy().topology();
  const int64_t meant = call.Integer("worker");
  if (topology.num_workers() == 1) {
    throw ProgramError("'worker' is one of several workers");
  }
  if (meant < 0 || meant >= topology.num_workers()) {
    throw ProgramError("there is no worker " + std::to_string(meant));
  }
  return meant == topology.worker().value();
}

// Returns when all workers have come to the end of one, or are too late: files
// in the program's folder, which they share, say who has come.
void AwaitOthers(const StepCall& call) {
  const Topology& topology = GetStrategy().topology();
  const auto mark = [&](int worker) {
    return fmt::format("{}/.end_of_{}_seen_by_{}", call.folder(),
                       call.Integer("worker"), worker);
  };
  std::ofstream(mark(topology.worker().value())).put('\n');
  const auto give_up = std::chrono::steady_clock::now() + kPatience;
  for (int worker = 0; worker < topology.num_workers(); ++worker) {
    while (!std::filesystem::exists(mark(worker)) &&
           std::chrono::steady_clock::now() < give_up) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
}

Value End(const StepCall& call) {
  const bool is_meant = IsMeant(call);
  AwaitOthers(call);
  if (is_meant) std::raise(SIGKILL);
  return Nothing();
}

Value Pause(const StepCall& call) {
  if (!call.Has("worker") || IsMeant(call)) call.Pause();
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
