// The exchange of messages with one process of a testee, each line of it
// checked.
//
//   Conversation conversation(options, check, report);
//   if (const auto declaration = conversation.Start()) {
//     conversation.Ask("first/name", 1, request);
//   }
//
// What is wrong goes to the report; what is returned holds to the protocol.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_PROBE_CONVERSATION_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_PROBE_CONVERSATION_H_

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "conformance/runner/pipe/child_process.h"
#include "conformance/runner/pipe/line_channel.h"
#include "conformance/runner/pipe/protocol.h"
#include "conformance/runner/probe/message_check.h"
#include "conformance/runner/probe/report.h"

namespace lockstep {

struct ConversationOptions {
  std::vector<std::string> command;
  std::string files = ".";  // where those are that the command names
  std::chrono::milliseconds start_deadline{120'000};
  // For each program, and for the end after stop.
  std::chrono::milliseconds deadline{60'000};
  ProcessLimits limits = {};
  bool verbose = false;  // every line in both directions
};

class Conversation {
 public:
  // Starts the process, which ends with this object.
  // Errors: those of ChildProcess.
  Conversation(const ConversationOptions& options, const MessageCheck& check,
               ProbeReport& report);

  std::optional<TesteeDeclaration> Start();

  // The reply, when nothing is wrong with it.
  std::optional<Reply> Ask(const std::string& where, int64_t seq,
                           const Request& request);

  void Send(const std::string& line);
  void CloseInput() { child_.CloseIn(); }

  // Whether it says no more than it was asked for, listening that long.
  bool IsQuiet(const std::string& where, std::chrono::milliseconds time);

  // Waits for its end, in silence.
  void ExpectEnd(const std::string& where,
                 const std::function<bool(const ProcessEnd&)>& is_right,
                 const std::string& advice);

 private:
  void TellMistakes(const std::string& where, const Mistakes& mistakes,
                    const std::string& line);
  // Its line; nothing where there was none.
  std::optional<std::string> Exchange(const std::string& where,
                                      const std::string& line,
                                      std::chrono::milliseconds deadline);
  // Of a read that gave no line.
  Mistake MistakeOf(LineStatus status, std::chrono::milliseconds deadline);
  std::optional<ProcessEnd> WaitForEnd(LineChannel::Deadline until);

  const ConversationOptions& options_;
  const MessageCheck& check_;
  ProbeReport& report_;
  ChildProcess child_;
  LineChannel channel_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_PROBE_CONVERSATION_H_
