// The messages of the pipe protocol, version 1 (docs/protocol.md): one line of
// JSON each.
//
// Decoding is strict: a missing or unknown field, another type, a text that is
// none of those allowed is an error that names the message and the place in it:
//
//   DecodeReply(R"({"seq": 1, "error": {"class": "Oops", ...}})");
//   // InvalidArgument "[Protocol] reply at $.error.class: unknown error class
//   // 'Oops'"
//
// Errors of all that decode: InvalidArgument; with a deadline also
// DeadlineExceeded, for a line that is not decoded by then.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_PIPE_PROTOCOL_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_PIPE_PROTOCOL_H_

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "conformance/runner/testee.h"
#include "conformance/runner/text/json_file.h"

namespace lockstep {

inline constexpr int kProtocolVersion = 1;

// Of the line of a message, without its end.
inline constexpr size_t kLongestMessage = 16 << 20;

using MessageDeadline = std::chrono::steady_clock::time_point;

// From the runner to the testee.
struct StartCommand {
  bool operator==(const StartCommand&) const = default;
};
struct RunCommand {
  int64_t seq = 0;
  Request request;
};
struct StopCommand {
  bool operator==(const StopCommand&) const = default;
};
using Command = std::variant<StartCommand, RunCommand, StopCommand>;

std::string EncodeStart();
std::string EncodeRun(int64_t seq, const Request& request);
std::string EncodeStop();
Command DecodeCommand(std::string_view line);

// From the testee to the runner.
struct Reply {
  int64_t seq = 0;
  Answer answer;  // Observations, Failure or Unsupported
};

Json DeclarationToJson(const TesteeDeclaration& declaration);
TesteeDeclaration ReadDeclaration(const JsonCursor& message);
std::string EncodeDeclaration(const TesteeDeclaration& declaration);
TesteeDeclaration DecodeDeclaration(
    std::string_view line, MessageDeadline deadline = MessageDeadline::max());
// The one of `observations`, `error` and `unsupported` that is a field of the
// object; it may have others.
Answer ReadReplied(const JsonCursor& message);
// A reply that is longer, deeper or wider than a message may be becomes the
// error ResourceExhausted of the step "testee", which says so.
std::string EncodeReply(const Reply& reply);
Reply DecodeReply(std::string_view line,
                  MessageDeadline deadline = MessageDeadline::max());

// An observation that the program does not make is an error too.
void CheckObservations(const Observations& observations, const Json& program);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_PIPE_PROTOCOL_H_
