#include "conformance/runner/pipe/testee_process.h"

#include <fmt/format.h>

#include "conformance/runner/pipe/protocol.h"
#include "conformance/runner/readable_text.h"
#include "reference/base/check.h"
#include "reference/base/error.h"

namespace lockstep {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// Between the end of stdout and the end of the process.
constexpr milliseconds kEndsWithin{1000};

}  // namespace

std::variant<TesteeDeclaration, Answer> TesteeProcess::Start(
    milliseconds deadline) {
  channel_.Send(EncodeStart());
  const ReadLine read = channel_.Read(steady_clock::now() + deadline);
  if (read.status != LineStatus::kLine) {
    return ProblemOfRead(read.status, deadline);
  }
  try {
    return DecodeDeclaration(read.text);
  } catch (const Error& e) {
    return Problem(
        fmt::format("{}; it said {}", e.what(), ReadableExcerpt(read.text)));
  }
}

Outcome TesteeProcess::Ask(int64_t seq, const Request& request,
                           milliseconds deadline) {
  if (auto stray = FindStray()) return {*std::move(stray), true};
  channel_.Send(EncodeRun(seq, request));
  const ReadLine read = channel_.Read(steady_clock::now() + deadline);
  if (read.status == LineStatus::kLine) {
    return ReadReply(read.text, seq, request);
  }
  return {ProblemOfRead(read.status, deadline),
          read.status == LineStatus::kTooLong || !channel_.HasReadOfLastLine()};
}

Outcome TesteeProcess::ReadReply(const std::string& line, int64_t seq,
                                 const Request& request) {
  try {
    const Reply reply = DecodeReply(line);
    if (reply.seq != seq) {
      return {Problem(fmt::format("wanted the reply to seq {}, got {}", seq,
                                  ReadableExcerpt(line))),
              true};
    }
    if (const auto* observations = std::get_if<Observations>(&reply.answer)) {
      CheckObservations(*observations, request.program);
    }
    return {reply.answer};
  } catch (const Error& e) {
    return {
        Problem(fmt::format("{}; it said {}", e.what(), ReadableExcerpt(line))),
        true};
  }
}

std::optional<Answer> TesteeProcess::FindStray() {
  const ReadLine read = channel_.Read(steady_clock::now());
  if (read.status == LineStatus::kDeadline) return std::nullopt;
  if (read.status != LineStatus::kLine) {
    return ProblemOfRead(read.status, milliseconds{0});
  }
  return Problem(fmt::format("said something nobody asked for: {}",
                             ReadableExcerpt(read.text)));
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
  return Problem(fmt::format("wanted its end after stop, got {}",
                             ReadableExcerpt(read.text)));
}

Answer TesteeProcess::ProblemOfRead(LineStatus status, milliseconds deadline) {
  switch (status) {
    case LineStatus::kDeadline:
      return TimedOut{deadline, channel_.StderrTail()};
    case LineStatus::kTooLong:
      return Problem(
          fmt::format("a line of more than {} bytes", kLongestMessage));
    case LineStatus::kTooMuchMemory:
      return Crashed{"SIGKILL for too much memory (--memory)",
                     channel_.StderrTail()};
    case LineStatus::kInterrupted:
      throw Interrupted();
    case LineStatus::kClosed:
      if (const auto end = child_.Wait(kEndsWithin)) {
        return Crashed{end->Describe(), channel_.StderrTail()};
      }
      return Problem("closed its stdout and lives on");
    case LineStatus::kLine:
      break;
  }
  LOCKSTEP_CHECK(false);
}

ProtocolError TesteeProcess::Problem(const std::string& what) {
  return {ReadableLine(what), channel_.StderrTail()};
}

}  // namespace lockstep
