#include "conformance/testees/reference/workers/workers_testee.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>
#include <thread>

#include "conformance/runner/cases/program.h"
#include "conformance/runner/pipe/pipe_testee.h"
#include "conformance/runner/pipe/testee_server.h"
#include "conformance/testees/reference/program_folder.h"
#include "conformance/testees/reference/reference_testee.h"
#include "conformance/testees/reference/value.h"
#include "reference/base/error.h"
#include "reference/cluster/free_port.h"

namespace lockstep::conformance {
namespace {

constexpr std::string_view kWorkerFlag = "--reference-worker=";
// Below the time that a runner waits for the whole.
constexpr std::chrono::seconds kWorkerDeadline{50};

// Only the chief's port is used; the others' differ from it and each other.
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

Answer AskWorker(const Request& request, const std::string& tf_config,
                 const std::string& folder) {
  const std::string self = std::filesystem::read_symlink("/proc/self/exe");
  PipeTestee worker({"/usr/bin/env", "TF_CONFIG=" + tf_config, self,
                     fmt::format("{}{}", kWorkerFlag, folder)},
                    {.case_deadline = kWorkerDeadline});
  Answer answer = worker.Run(request);
  worker.Stop();
  // An end that comes after the answer is told by the next one.
  for (const LateProblem& late : worker.TakeLateProblems())
    answer = late.answer;
  return answer;
}

// What `answer` says, where it is no answer to the program.
Failure AsFailure(const Answer& answer, size_t worker) {
  std::string message =
      fmt::format("worker {}: {}", worker, DescribeAnswer(answer));
  if (const std::string tail = StderrTailOf(answer); !tail.empty()) {
    message += "\n" + tail;
  }
  return {.error_class = "Internal", .message = message, .at_step = "testee"};
}

// A worker that is told of another's failure.
bool IsConsequence(const Failure& failure) {
  constexpr std::string_view kConsequences[] = {"Cancelled", "Unavailable",
                                                "DeadlineExceeded"};
  return std::ranges::find(kConsequences, failure.error_class) !=
         std::end(kConsequences);
}

std::vector<Failure> FailuresOf(const std::vector<Answer>& workers) {
  std::vector<Failure> failures;
  for (size_t worker = 0; worker < workers.size(); ++worker) {
    const Answer& answer = workers[worker];
    if (const auto* failure = std::get_if<Failure>(&answer)) {
      failures.push_back(*failure);
    } else if (!std::holds_alternative<Observations>(answer)) {
      failures.push_back(AsFailure(answer, worker));
    }
  }
  return failures;
}

}  // namespace

Answer MergeAnswers(const std::vector<Answer>& workers) {
  for (const Answer& answer : workers) {
    if (std::holds_alternative<Unsupported>(answer)) return answer;
  }
  const std::vector<Failure> failures = FailuresOf(workers);
  const auto cause = std::ranges::find_if_not(failures, IsConsequence);
  if (cause != failures.end()) return *cause;
  if (!failures.empty()) return failures[0];
  Observations merged;
  for (const Answer& answer : workers) {
    for (const auto& [name, value] :
         std::get<Observations>(answer).values.items()) {
      merged.values[name].push_back(value);
    }
  }
  return merged;
}

WorkersTestee::WorkersTestee(Testee& alone)
    : alone_(alone), declaration_(alone.Start()) {
  declaration_.workers = kMostGivenWorkers;
}

Answer WorkersTestee::Run(const Request& request) {
  const auto workers = request.given.find("workers");
  if (workers == request.given.end()) return alone_.Run(request);
  const std::optional<int64_t> count = IntegerIn(*workers);
  if (!count || *count < 1 || *count > kMostGivenWorkers) {
    throw ProgramError(fmt::format("'workers' is 1 to {}, got {}",
                                   kMostGivenWorkers, workers->dump()));
  }
  return RunOnWorkers(request, static_cast<int>(*count));
}

Answer WorkersTestee::RunOnWorkers(const Request& request, int workers) const {
  const ProgramFolder folder;
  const int port = FreePort();
  std::vector<Answer> answers(workers);
  {
    std::vector<std::jthread> threads;
    for (int worker = 0; worker < workers; ++worker) {
      threads.emplace_back([&, worker] {
        try {
          answers[worker] = AskWorker(request, TfConfig(workers, worker, port),
                                      folder.path());
        } catch (const std::exception& error) {
          answers[worker] = Failure{"Internal", error.what(), "testee"};
        }
      });
    }
  }
  return MergeAnswers(answers);
}

std::optional<int> ServeIfWorker(int argc, char** argv) {
  if (argc != 2 || !std::string_view(argv[1]).starts_with(kWorkerFlag)) {
    return std::nullopt;
  }
  ReferenceTestee testee(DeviceKind::kCpu, argv[1] + kWorkerFlag.size());
  return ServeTesteeOnStdio(testee);
}

}  // namespace lockstep::conformance
