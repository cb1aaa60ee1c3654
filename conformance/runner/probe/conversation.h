// Exchanges messages with one process of a testee, and checks each line.
//
//   Conversation conversation(options, check, report);
//   if (const auto declaration = conversation.Start()) {
//     conversation.Run("first/name", 1, request);
//   }
//
// Mistakes go to the report; returned messages follow the protocol.
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
  std::string files = ".";  // the folder of the files of the command
  std::chrono::milliseconds start_deadline{120'000};
  // For each program, and for the end after stop.
  std::chrono::milliseconds deadline{60'000};
  ProcessLimits limits = {};
  bool verbose = false;  // print every line in both directions
};

class Conversation {
 public:
  // Starts the process, which ends with this object. Errors: those of
  // ChildProcess.
  Conversation(const ConversationOptions& options, const MessageCheck& check,
               ProbeReport& report);

  std::optional<TesteeDeclaration> Start();

  // The reply, if it has no mistake.
  std::optional<Reply> Run(const std::string& where, int64_t seq,
                           const Request& request);

  void Send(const std::string& line);
  void CloseInput() { child_.CloseIn(); }

  // Whether it sends no unexpected line for this long.
  bool IsQuiet(const std::string& where, std::chrono::milliseconds time);

  // Waits for its end, and checks that it sends nothing.
  void ExpectEnd(const std::string& where,
                 const std::function<bool(const ProcessEnd&)>& is_right,
                 const std::string& advice);

 private:
  void ReportMistakes(const std::string& where, const Mistakes& mistakes,
                      const std::string& line);
  // Its line; nullopt if there was none.
  std::optional<std::string> Exchange(const std::string& where,
                                      const std::string& line,
                                      std::chrono::milliseconds deadline);
  // The mistake of a read without a line.
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
