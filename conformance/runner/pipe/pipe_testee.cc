#include "conformance/runner/pipe/pipe_testee.h"

#include <fmt/format.h>

#include <csignal>
#include <utility>

#include "conformance/runner/pipe/protocol.h"
#include "conformance/runner/text/readable_text.h"
#include "reference/base/check.h"
#include "reference/base/error.h"

namespace lockstep {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// The time from the end of stdout to the end of the process.
constexpr milliseconds kEndsWithin{1000};

std::string DescribeEnd(const ProcessEnd& end) {
  const bool by_file = end.by_signal && end.value == SIGXFSZ;
  return end.Describe() + (by_file ? " for too large a file (--output)" : "");
}

}  // namespace

std::string ExceededLimitOf(LineStatus status) {
  if (status == LineStatus::kTooMuchMemory) return "too much memory (--memory)";
  if (status == LineStatus::kTooMuchOutput) return "too much output (--output)";
  return status == LineStatus::kTooManyProcesses
             ? "too many processes (--processes)"
             : "";
}

std::variant<TesteeDeclaration, Answer> TesteeProcess::Start(
    milliseconds deadline) {
  channel_.Send(EncodeStart());
  const auto until = steady_clock::now() + deadline;
  const ReadLine read = channel_.Read(until);
  if (read.status != LineStatus::kLine) {
    return ProblemOfRead(read.status, deadline);
  }
  try {
    return DecodeDeclaration(read.text, until);
  } catch (const Error& e) {
    return ProblemOfLine(read.text, e, deadline);
  }
}

Outcome TesteeProcess::Run(int64_t seq, const Request& request,
                           milliseconds deadline) {
  if (auto stray = FindStray()) return {*std::move(stray), true};
  channel_.Send(EncodeRun(seq, request));
  const auto until = steady_clock::now() + deadline;
  const ReadLine read = channel_.Read(until);
  if (read.status != LineStatus::kLine) {
    return {
        ProblemOfRead(read.status, deadline),
        read.status == LineStatus::kTooLong || !channel_.HasReadOfLastLine()};
  }
  try {
    return ReadReply(read.text, seq, request, until);
  } catch (const Error& e) {
    return {ProblemOfLine(read.text, e, deadline),
            e.code() != Code::kDeadlineExceeded};
  }
}

Outcome TesteeProcess::ReadReply(const std::string& line, int64_t seq,
                                 const Request& request,
                                 LineChannel::Deadline until) {
  Reply reply = DecodeReply(line, until);
  if (reply.seq != seq) {
    return {Problem(fmt::format("wanted the reply to seq {}, got {}", seq,
                                ReadableExcerpt(line))),
            true};
  }
  if (const auto* observations = std::get_if<Observations>(&reply.answer)) {
    CheckObservations(*observations, request.program);
  }
  return {std::move(reply.answer)};
}

std::optional<Answer> TesteeProcess::FindStray() {
  const ReadLine read = channel_.Read(steady_clock::now());
  if (read.status == LineStatus::kDeadline) return std::nullopt;
  if (read.status != LineStatus::kLine) {
    return ProblemOfRead(read.status, milliseconds{0});
  }
  return Problem(
      fmt::format("sent an unexpected line: {}", ReadableExcerpt(read.text)));
}

std::optional<Answer> TesteeProcess::Stop(milliseconds grace) {
  channel_.Send(EncodeStop());
  const ReadLine read = channel_.Read(steady_clock::now() + grace);
  if (read.status == LineStatus::kDeadline ||
      read.status == LineStatus::kClosed) {
    return std::nullopt;
  }
  if (read.status != LineStatus::kLine) {
    return ProblemOfRead(read.status, grace);
  }
  return Problem(fmt::format("wanted the end of the process after stop, got {}",
                             ReadableExcerpt(read.text)));
}

Answer TesteeProcess::ProblemOfRead(LineStatus status, milliseconds deadline) {
  switch (status) {
    case LineStatus::kDeadline:
      return TimedOut{deadline, channel_.StderrTail()};
    case LineStatus::kTooLong:
      return Problem(
          fmt::format("a line of more than {} bytes", kMaxMessageBytes));
    case LineStatus::kTooMuchMemory:
    case LineStatus::kTooManyProcesses:
    case LineStatus::kTooMuchOutput:
      return Crashed{"SIGKILL for " + ExceededLimitOf(status),
                     channel_.StderrTail()};
    case LineStatus::kInterrupted:
      throw Interrupted();
    case LineStatus::kClosed:
      if (const auto end = child_.Wait(kEndsWithin)) {
        return Crashed{DescribeEnd(*end), channel_.StderrTail()};
      }
      return Problem("closed its stdout but still runs");
    case LineStatus::kLine:
      break;
  }
  LOCKSTEP_CHECK(false);
}

Answer TesteeProcess::ProblemOfLine(const std::string& line, const Error& error,
                                    milliseconds deadline) {
  if (error.code() == Code::kDeadlineExceeded) {
    return ProblemOfRead(LineStatus::kDeadline, deadline);
  }
  return Problem(
      fmt::format("{}; it said {}", error.what(), ReadableExcerpt(line)));
}

ProtocolError TesteeProcess::Problem(const std::string& what) {
  return {ReadableLine(what), channel_.StderrTail()};
}

namespace {

constexpr int kMaxFailedStarts = 3;

}  // namespace

PipeTestee::PipeTestee(std::vector<std::string> command,
                       PipeTesteeOptions options)
    : command_(std::move(command)), options_(std::move(options)) {
  LOCKSTEP_CHECK(!command_.empty());
  declaration_.name = fmt::format("{}", fmt::join(command_, " "));
}

const TesteeDeclaration& PipeTestee::Start() {
  EnsureStarted();  // Run reports a problem, for each case
  return declaration_;
}

Answer PipeTestee::Run(const Request& request) {
  std::optional<LateProblem> may_be_late;
  for (;;) {
    if (const auto problem = EnsureStarted()) return *problem;
    Outcome outcome = RunInProcess(request);
    if (IsReply(outcome.answer)) {
      // A fresh process answers this request, so the problem belonged to the
      // previous one.
      if (may_be_late) late_problems_.push_back(*std::move(may_be_late));
      answered_ = request.token;
      return std::move(outcome.answer);
    }
    const auto answered = answered_;
    Kill();
    if (!answered || !outcome.may_be_late) return outcome.answer;
    may_be_late = {*answered, std::move(outcome.answer)};
  }
}

Outcome PipeTestee::RunInProcess(const Request& request) {
  try {
    return process_->Run(++seq_, request, options_.case_deadline);
  } catch (const Interrupted&) {
    Kill();
    throw;
  }
}

void PipeTestee::Stop() {
  if (!process_) return;
  try {
    auto problem = process_->Stop(options_.stop_grace);
    if (problem && answered_) {
      late_problems_.push_back({*answered_, *std::move(problem)});
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
  if (failed_starts_ == kMaxFailedStarts) return start_problem_;
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
      command_, options_.files,
      LineChannelOptions{.longest_line = kMaxMessageBytes,
                         .limits = options_.limits,
                         .interrupted = options_.interrupted});
  auto started = process_->Start(options_.start_deadline);
  if (auto* problem = std::get_if<Answer>(&started)) return std::move(*problem);
  auto& declaration = std::get<TesteeDeclaration>(started);
  if (declared_ && declaration_ != declaration) {
    return ProtocolError{"its declaration differs from that of its first start",
                         ""};
  }
  declared_ = true;
  declaration_ = std::move(declaration);
  return std::nullopt;
}

void PipeTestee::Kill() {
  process_.reset();
  answered_.reset();
}

}  // namespace lockstep
