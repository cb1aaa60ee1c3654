#include "conformance/runner/probe/conversation.h"

#include <fmt/core.h>

#include "conformance/runner/pipe/pipe_testee.h"
#include "conformance/runner/probe/content_check.h"
#include "reference/base/check.h"

namespace lockstep {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// "ended with status 3", "was killed by SIGSEGV".
std::string Describe(const ProcessEnd& end) {
  return end.by_signal ? "was killed by " + end.Describe()
                       : fmt::format("ended with status {}", end.value);
}

}  // namespace

Conversation::Conversation(const ConversationOptions& options,
                           const MessageCheck& check, ProbeReport& report)
    : options_(options),
      check_(check),
      report_(report),
      child_(options.command,
             {.files = options.files, .longest_file = options.limits.output}),
      channel_(child_,
               {.longest_line = kMaxMessageBytes, .limits = options.limits}) {}

std::optional<TesteeDeclaration> Conversation::Start() {
  const auto line = Exchange("start", EncodeStart(), options_.start_deadline);
  if (!line) return std::nullopt;
  auto read = check_.ReadDeclaration(*line);
  if (auto* declaration = std::get_if<TesteeDeclaration>(&read)) {
    return std::move(*declaration);
  }
  ReportMistakes("start", std::get<Mistakes>(read), *line);
  return std::nullopt;
}

std::optional<Reply> Conversation::Run(const std::string& where, int64_t seq,
                                       const Request& request) {
  const auto line = Exchange(where, EncodeRun(seq, request), options_.deadline);
  if (!line) return std::nullopt;
  auto read = check_.ReadReply(*line);
  auto* reply = std::get_if<Reply>(&read);
  const Mistakes mistakes = reply ? MistakesIn(*reply, seq, request.program)
                                  : std::get<Mistakes>(read);
  ReportMistakes(where, mistakes, *line);
  if (!mistakes.empty()) return std::nullopt;
  return std::move(*reply);
}

void Conversation::ReportMistakes(const std::string& where,
                                  const Mistakes& mistakes,
                                  const std::string& line) {
  for (const Mistake& mistake : mistakes) {
    report_.Wrong(where, mistake, {.said = line});
  }
}

std::optional<std::string> Conversation::Exchange(const std::string& where,
                                                  const std::string& line,
                                                  milliseconds deadline) {
  Send(line);
  ReadLine read = channel_.Read(steady_clock::now() + deadline);
  if (read.status == LineStatus::kLine) {
    if (options_.verbose) report_.Message("<-", read.text);
    return std::move(read.text);
  }
  Mistake mistake = MistakeOf(read.status, deadline);
  Evidence evidence{.stderr_tail = channel_.StderrTail()};
  if (!read.text.empty()) {  // a line without its end
    mistake.advice = kOneLinePerMessage;
    evidence.said = read.text;
  }
  report_.Wrong(where, mistake, evidence);
  return std::nullopt;
}

void Conversation::Send(const std::string& line) {
  if (options_.verbose) report_.Message("->", line);
  channel_.Send(line);
}

Mistake Conversation::MistakeOf(LineStatus status, milliseconds deadline) {
  if (status == LineStatus::kDeadline) {
    return {fmt::format("no answer in {:g} s",
                        std::chrono::duration<double>(deadline).count()),
            "answer every command with a line, flush it, and read stdin line "
            "by line (some languages wait for a full buffer)"};
  }
  if (status == LineStatus::kTooLong) {
    return {fmt::format("the line has more than {} bytes", kMaxMessageBytes),
            kOneLinePerMessage};
  }
  if (status == LineStatus::kClosed) {
    const auto end = WaitForEnd(steady_clock::now() +
                                std::min(deadline, milliseconds{1000}));
    return {
        "it " + (end ? Describe(*end) : "closed its stdout but still runs"),
        "fix what stderr reports; answer an error of a step with \"error\", "
        "and a missing step with \"unsupported\""};
  }
  return {fmt::format("it uses {}", ExceededLimitOf(status)),
          "use less, or raise the limit with that option"};
}

bool Conversation::IsQuiet(const std::string& where, milliseconds time) {
  const ReadLine read = channel_.Read(steady_clock::now() + time);
  const bool is_silent =
      read.text.empty() && (read.status == LineStatus::kDeadline ||
                            read.status == LineStatus::kClosed);
  if (is_silent) return true;
  if (read.status == LineStatus::kLine || read.status == LineStatus::kClosed) {
    report_.Wrong(
        where,
        {"an unexpected line",
         std::string("answer each command with one line; ") + kKeepStdoutClean},
        {.said = read.text});
  } else {
    report_.Wrong(where, MistakeOf(read.status, time));
  }
  return false;
}

void Conversation::ExpectEnd(
    const std::string& where,
    const std::function<bool(const ProcessEnd&)>& is_right,
    const std::string& advice) {
  const auto until = steady_clock::now() + options_.deadline;
  const bool is_quiet = IsQuiet(where, options_.deadline);
  const std::optional<ProcessEnd> end = WaitForEnd(until);
  if (!end || !is_right(*end)) {
    report_.Wrong(where,
                  {"it " + (end ? Describe(*end) : "still runs"), advice},
                  {.stderr_tail = channel_.StderrTail()});
  } else if (is_quiet) {
    report_.Right(fmt::format("{}: {}", where, Describe(*end)));
  }
}

std::optional<ProcessEnd> Conversation::WaitForEnd(
    LineChannel::Deadline until) {
  constexpr milliseconds kRound{100};
  for (;;) {
    if (const auto end = child_.Wait(kRound)) return end;
    channel_.StderrTail();  // drains it, so that the process is not blocked
    if (steady_clock::now() >= until) return std::nullopt;
  }
}

}  // namespace lockstep
