#include "conformance/testees/reference/workers/worker_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <filesystem>
#include <iterator>
#include <string>
#include <thread>

#include "reference/base/json.h"
#include "reference/cluster/free_port.h"

namespace lockstep::conformance {
namespace {

// Shorter than the deadline of the runner for the whole program.
constexpr std::chrono::seconds kWorkerDeadline{50};

// Only the port of the chief is used; the others are merely distinct.
std::string TfConfig(int workers, int worker, int chief_port) {
  Json addresses = Json::array();
  for (int each = 0; each < workers; ++each) {
    const int port = each == 0 ? chief_port : chief_port % 60000 + 1024 + each;
    addresses.push_back(fmt::format("127.0.0.1:{}", port));
  }
  return Json{{"cluster", {{"worker", addresses}}},
              {"task", {{"type", "worker"}, {"index", worker}}}}
      .dump();
}

}  // namespace

WorkerJob::WorkerJob(int workers) {
  const std::string self = std::filesystem::read_symlink("/proc/self/exe");
  const int chief_port = FreePort();
  for (int worker = 0; worker < workers; ++worker) {
    processes_.push_back(std::make_unique<PipeTestee>(
        std::vector<std::string>{
            "/usr/bin/env",
            "TF_CONFIG=" + TfConfig(workers, worker, chief_port), self,
            fmt::format("{}{}", kWorkerFlag, folder_.path())},
        PipeTesteeOptions{.case_deadline = kWorkerDeadline}));
  }
}

std::vector<Answer> WorkerJob::Run(const Request& request) {
  std::vector<Answer> answers(processes_.size());
  {
    std::vector<std::jthread> threads;
    for (size_t worker = 0; worker < processes_.size(); ++worker) {
      threads.emplace_back([&, worker] {
        try {
          answers[worker] = processes_[worker]->Run(request);
        } catch (const std::exception& error) {
          answers[worker] = Failure{"Internal", error.what(), "testee"};
        }
      });
    }
  }
  folder_.Clear();
  return answers;
}

void WorkerJob::Stop() {
  for (const auto& process : processes_) process->Stop();
}

std::vector<LateProblem> WorkerJob::TakeLateProblems() {
  std::vector<LateProblem> problems;
  for (const auto& process : processes_) {
    std::ranges::move(process->TakeLateProblems(),
                      std::back_inserter(problems));
  }
  return problems;
}

}  // namespace lockstep::conformance
