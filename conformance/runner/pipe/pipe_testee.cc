#include "conformance/runner/pipe/pipe_testee.h"

#include <fmt/format.h>

#include <utility>

#include "conformance/runner/pipe/protocol.h"
#include "reference/base/check.h"

namespace lockstep {
namespace {

constexpr int kMostFailedStarts = 3;

bool IsReply(const Answer& answer) {
  return std::holds_alternative<Observations>(answer) ||
         std::holds_alternative<Failure>(answer) ||
         std::holds_alternative<Unsupported>(answer);
}

}  // namespace

PipeTestee::PipeTestee(std::vector<std::string> command,
                       PipeTesteeOptions options)
    : command_(std::move(command)), options_(std::move(options)) {
  LOCKSTEP_CHECK(!command_.empty());
  declaration_.name = fmt::format("{}", fmt::join(command_, " "));
}

const TesteeDeclaration& PipeTestee::Start() {
  EnsureStarted();  // a problem is told by Run, for each case
  return declaration_;
}

Answer PipeTestee::Run(const Request& request) {
  std::optional<LateProblem> may_be_late;
  for (;;) {
    if (const auto problem = EnsureStarted()) return *problem;
    Outcome outcome = Ask(request);
    if (IsReply(outcome.answer)) {
      // A fresh process answers well, so it was late indeed.
      if (may_be_late) late_problems_.push_back(*std::move(may_be_late));
      case_before_ = request.case_id;
      return outcome.answer;
    }
    const auto case_before = case_before_;
    Kill();
    if (!case_before || !outcome.may_be_late) return outcome.answer;
    may_be_late = {*case_before, std::move(outcome.answer)};
  }
}

Outcome PipeTestee::Ask(const Request& request) {
  try {
    return process_->Ask(++seq_, request, options_.case_deadline);
  } catch (const Interrupted&) {
    Kill();
    throw;
  }
}

void PipeTestee::Stop() {
  if (!process_) return;
  try {
    auto problem = process_->Stop(options_.stop_grace);
    if (problem && case_before_) {
      late_problems_.push_back({*case_before_, *std::move(problem)});
    }
  } catch (const Interrupted&) {
    // It ends now in any case.
  }
  Kill();
}

std::vector<LateProblem> PipeTestee::TakeLateProblems() {
  return std::exchange(late_problems_, {});
}

std::optional<Answer> PipeTestee::EnsureStarted() {
  if (process_) return std::nullopt;
  if (failed_starts_ == kMostFailedStarts) return start_problem_;
  try {
    start_problem_ = StartProcess();
  } catch (const Interrupted&) {
    Kill();
    throw;
  }
  failed_starts_ = start_problem_ ? failed_starts_ + 1 : 0;
  if (start_problem_) Kill();
  return start_problem_;
}

std::optional<Answer> PipeTestee::StartProcess() {
  process_ = std::make_unique<TesteeProcess>(
      command_, LineChannelOptions{.longest_line = kLongestMessage,
                                   .most_memory = options_.most_memory,
                                   .interrupted = options_.interrupted});
  auto started = process_->Start(options_.start_deadline);
  if (auto* problem = std::get_if<Answer>(&started)) return std::move(*problem);
  auto& declaration = std::get<TesteeDeclaration>(started);
  if (declared_ && declaration_ != declaration) {
    return ProtocolError{"declares something else than at its first start", ""};
  }
  declared_ = true;
  declaration_ = std::move(declaration);
  return std::nullopt;
}

void PipeTestee::Kill() {
  process_.reset();
  case_before_.reset();
}

}  // namespace lockstep
