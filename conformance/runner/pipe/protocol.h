// The messages of the pipe protocol, version 1 (docs/protocol.md): one line of
// JSON each.
//
// Decoding is strict: a missing or unknown field, a wrong type or an unknown
// value is an error that names the message and the JSON path:
//
//   DecodeReply(R"({"seq": 1, "error": {"class": "Oops", ...}})");
//   // InvalidArgument "[Protocol] reply at $.error.class: unknown error class
//   // 'Oops'"
//
// Errors of all Decode functions: InvalidArgument; with a deadline also
// DeadlineExceeded, if the line is not decoded in time.
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

// The size of the line of a message, without its end.
inline constexpr size_t kMaxMessageBytes = 16 << 20;

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
// Reads the field `observations`, `error` or `unsupported`; ignores other
// fields.
Answer ReadReplied(const JsonCursor& message);
// A reply that exceeds a limit of messages is replaced by the error
// ResourceExhausted of the step "testee".
std::string EncodeReply(const Reply& reply);
Reply DecodeReply(std::string_view line,
                  MessageDeadline deadline = MessageDeadline::max());

// Errors: InvalidArgument for an observation that the program does not make.
void CheckObservations(const Observations& observations, const Json& program);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_PIPE_PROTOCOL_H_
