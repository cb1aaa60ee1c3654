#include "conformance/testees/reference/workers/workers_testee.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "conformance/runner/cases/program.h"
#include "conformance/runner/pipe/testee_server.h"
#include "conformance/testees/reference/parameter_server/cluster_task.h"
#include "conformance/testees/reference/reference_testee.h"
#include "conformance/testees/reference/value.h"
#include "conformance/testees/reference/workers/worker_steps.h"

namespace lockstep::conformance {
namespace {

// The failure for an answer that is not a reply.
Failure AsFailure(const Answer& answer, size_t worker) {
  std::string message =
      fmt::format("worker {}: {}", worker, DescribeAnswer(answer));
  if (const std::string tail = StderrTailOf(answer); !tail.empty()) {
    message += "\n" + tail;
  }
  return {.error_class = "Internal", .message = message, .at_step = "testee"};
}

// Whether the failure is only a consequence of another worker's failure.
bool IsConsequence(const Failure& failure) {
  constexpr std::string_view kConsequences[] = {"Cancelled", "Unavailable",
                                                "DeadlineExceeded"};
  return std::ranges::find(kConsequences, failure.error_class) !=
         std::end(kConsequences);
}

// Whether workers called different collectives, often because one of them
// failed.
bool IsDisagreement(const Failure& failure) {
  return failure.error_class == "FailedPrecondition";
}

// The failure that caused the others. REQUIRES: `failures` is not empty.
const Failure& CauseOf(const std::vector<Failure>& failures) {
  const auto explains = [](const Failure& failure) {
    return !IsConsequence(failure) && !IsDisagreement(failure);
  };
  auto cause = std::ranges::find_if(failures, explains);
  if (cause == failures.end()) {
    cause = std::ranges::find_if_not(failures, IsConsequence);
  }
  return cause == failures.end() ? failures[0] : *cause;
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

// Merges observations into lists with one entry per worker; null for a worker
// without that observation.
Observations Merge(const std::vector<Answer>& workers) {
  Observations merged;
  for (size_t worker = 0; worker < workers.size(); ++worker) {
    const auto* observed = std::get_if<Observations>(&workers[worker]);
    if (!observed) continue;
    for (const auto& [name, value] : observed->values.items()) {
      Json& list = merged.values[name];
      if (list.is_null()) list = Json(workers.size(), Json());
      list[worker] = value;
    }
  }
  return merged;
}

bool WasKilled(const Answer& answer) {
  const auto* crashed = std::get_if<Crashed>(&answer);
  return crashed && crashed->by == "SIGKILL";
}

}  // namespace

Answer MergeAnswers(const std::vector<Answer>& workers,
                    const std::set<int>& ended) {
  std::vector<Answer> answers;
  for (size_t worker = 0; worker < workers.size(); ++worker) {
    const Answer& answer = workers[worker];
    if (std::holds_alternative<Unsupported>(answer)) return answer;
    const bool was_to_end = ended.contains(static_cast<int>(worker));
    answers.push_back(was_to_end && WasKilled(answer) ? Observations{}
                                                      : answer);
  }
  const std::vector<Failure> failures = FailuresOf(answers);
  if (!failures.empty()) return CauseOf(failures);
  return Merge(answers);
}

WorkersTestee::WorkersTestee(Testee& alone)
    : alone_(alone), declaration_(alone.Start()) {
  declaration_.workers = kMaxWorkers;
}

Answer WorkersTestee::Run(const Request& request) {
  const auto workers = request.given.find("workers");
  const bool has_servers = request.given.contains("servers");
  if (workers == request.given.end() || has_servers) return alone_.Run(request);
  const std::optional<int64_t> count = IntegerIn(*workers);
  if (!count || *count < 1 || *count > kMaxWorkers) {
    throw ProgramError(fmt::format("'workers' is 1 to {}, got {}", kMaxWorkers,
                                   workers->dump()));
  }
  return RunOnWorkers(request, static_cast<int>(*count));
}

Answer WorkersTestee::RunOnWorkers(const Request& request, int workers) {
  if (!job_ || job_->workers() != workers) StartJob(workers);
  std::vector<Answer> answers = job_->Run(request);
  if (CollectLateProblems()) {
    // One of them ended because of the previous program.
    StartJob(workers);
    answers = job_->Run(request);
  }
  if (!std::ranges::all_of(answers, IsReply)) job_.reset();
  return MergeAnswers(answers, EndedWorkers(request.program));
}

void WorkersTestee::StartJob(int workers) {
  Stop();
  job_ = std::make_unique<WorkerJob>(workers);
}

void WorkersTestee::Stop() {
  if (!job_) return;
  job_->Stop();
  CollectLateProblems();
  job_.reset();
}

bool WorkersTestee::CollectLateProblems() {
  const std::vector<LateProblem> found = job_->TakeLateProblems();
  std::ranges::copy(found, std::back_inserter(late_problems_));
  return !found.empty();
}

std::vector<LateProblem> WorkersTestee::TakeLateProblems() {
  return std::exchange(late_problems_, {});
}

std::optional<int> ServeIfWorker(int argc, char** argv) {
  if (const auto ended = ServeIfClusterTask(argc, argv)) return ended;
  if (argc != 2 || !std::string_view(argv[1]).starts_with(kWorkerFlag)) {
    return std::nullopt;
  }
  ReferenceTestee testee(DeviceKind::kCpu, argv[1] + kWorkerFlag.size());
  return ServeTesteeOnStdio(testee);
}

}  // namespace lockstep::conformance
