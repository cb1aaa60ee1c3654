#include "conformance/runner/testee.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <exception>

#include "reference/base/encoding/sha256.h"
#include "reference/base/error.h"

namespace lockstep {
namespace {

constexpr std::array kErrorClasses = {
    Code::kInvalidArgument,  Code::kOutOfRange,      Code::kFailedPrecondition,
    Code::kNotFound,         Code::kDataLoss,        Code::kUnavailable,
    Code::kDeadlineExceeded, Code::kUnimplemented,   Code::kResourceExhausted,
    Code::kCancelled,        Code::kUnauthenticated, Code::kInternal};

}  // namespace

bool IsErrorClass(std::string_view name) {
  return std::ranges::find(kErrorClasses, name, CodeName) !=
         kErrorClasses.end();
}

namespace {

template <typename... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <typename... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

double Seconds(std::chrono::milliseconds duration) {
  return std::chrono::duration<double>(duration).count();
}

}  // namespace

bool IsReply(const Answer& answer) {
  return std::holds_alternative<Observations>(answer) ||
         std::holds_alternative<Failure>(answer) ||
         std::holds_alternative<Unsupported>(answer);
}

std::string DescribeAnswer(const Answer& answer) {
  return std::visit(
      Overloaded{
          [](const Observations&) -> std::string {
            return "the program ran to its end";
          },
          [](const Failure& failure) {
            return fmt::format("{} in {}: {}", failure.error_class,
                               failure.at_step, failure.message);
          },
          [](const Unsupported& unsupported) {
            return fmt::format("no support for {}: {}", unsupported.step,
                               unsupported.reason);
          },
          [](const TimedOut& timed_out) {
            return fmt::format("no answer in {} s",
                               Seconds(timed_out.deadline));
          },
          [](const Crashed& crashed) { return "crashed by " + crashed.by; },
          [](const ProtocolError& error) {
            return "protocol error: " + error.what;
          }},
      answer);
}

Json AnswerToJson(const Answer& answer) {
  return std::visit(
      Overloaded{
          [](const Observations& observations) -> Json {
            return {{"observations", observations.values}};
          },
          [](const Failure& failure) -> Json {
            return {{"error",
                     {{"class", failure.error_class},
                      {"message", failure.message},
                      {"at_step", failure.at_step}}}};
          },
          [](const Unsupported& unsupported) -> Json {
            return {
                {"unsupported",
                 {{"step", unsupported.step}, {"reason", unsupported.reason}}}};
          },
          [](const TimedOut& timed_out) -> Json {
            return {{"timed_out",
                     {{"deadline_s", Seconds(timed_out.deadline)},
                      {"stderr", timed_out.stderr_tail}}}};
          },
          [](const Crashed& crashed) -> Json {
            return {{"crashed",
                     {{"by", crashed.by}, {"stderr", crashed.stderr_tail}}}};
          },
          [](const ProtocolError& error) -> Json {
            return {{"protocol_error",
                     {{"what", error.what}, {"stderr", error.stderr_tail}}}};
          }},
      answer);
}

std::string StderrTailOf(const Answer& answer) {
  return std::visit(
      [](const auto& alternative) -> std::string {
        if constexpr (requires { alternative.stderr_tail; }) {
          return alternative.stderr_tail;
        } else {
          return "";
        }
      },
      answer);
}

std::string RequestKey(const Json& given, const Json& program) {
  // nlohmann::json sorts the fields of objects, unlike Json.
  const nlohmann::json request = {nlohmann::json(given),
                                  nlohmann::json(program)};
  Sha256 hash;
  hash.Update(request.dump());
  return hash.HexDigest().substr(0, 12);
}

Answer RunOnTestee(Testee& testee, const Request& request) {
  try {
    return testee.Run(request);
  } catch (const std::exception& e) {
    return Failure{
        .error_class = "Internal", .message = e.what(), .at_step = "testee"};
  }
}

}  // namespace lockstep
