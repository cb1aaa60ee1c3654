#include "conformance/runner/pipe/protocol.h"

#include <algorithm>
#include <utility>

#include "conformance/runner/cases/program.h"
#include "conformance/runner/testee.h"
#include "conformance/runner/text/json_file.h"
#include "reference/base/error.h"

namespace lockstep {
namespace {

constexpr const char* kOperation = "Protocol";

constexpr int kMaxMessageDepth = 100;
constexpr size_t kMaxNameBytes = 100;

Json Parse(std::string_view line, const char* kind, MessageDeadline deadline) {
  return ParseJsonBefore(line, kind, kMaxMessageDepth, deadline);
}

// One line; replaces invalid UTF-8, because a message may quote any bytes.
std::string ToLine(const Json& message) {
  return message.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Whether lists and objects are nested deeper than `levels`.
bool IsDeeperThan(const Json& value, int levels) {
  if (!value.is_structured()) return false;
  return levels == 0 || std::ranges::any_of(value, [&](const Json& item) {
           return IsDeeperThan(item, levels - 1);
         });
}

bool HasMoreFieldsThan(const Json& value, size_t most) {
  if (!value.is_structured()) return false;
  return (value.is_object() && value.size() > most) ||
         std::ranges::any_of(value, [&](const Json& item) {
           return HasMoreFieldsThan(item, most);
         });
}

// Why a runner would reject the message; empty if it would not.
std::string WhyTooLarge(const Json& message, const std::string& line) {
  if (line.size() > kMaxMessageBytes) {
    return fmt::format("the reply has {} bytes, a message has at most {}",
                       line.size(), kMaxMessageBytes);
  }
  if (IsDeeperThan(message, kMaxMessageDepth)) {
    return fmt::format("the reply is nested deeper than {} levels",
                       kMaxMessageDepth);
  }
  if (HasMoreFieldsThan(message, kMostJsonFields)) {
    return fmt::format("an object of the reply has more than {} fields",
                       kMostJsonFields);
  }
  return "";
}

JsonCursor Root(const Json& message, const char* kind) {
  return JsonCursor(message, kind, kOperation);
}

void CheckVersion(const JsonCursor& version) {
  if (version.Integer() != kProtocolVersion) {
    version.Fail(fmt::format("wanted version {}, got {}", kProtocolVersion,
                             version.Integer()));
  }
}

std::vector<std::string> ReadTexts(const JsonCursor& list) {
  std::vector<std::string> texts;
  for (const JsonCursor& item : list.Items()) texts.push_back(item.Text());
  return texts;
}

RunCommand ReadRun(const JsonCursor& root) {
  root.AllowOnly({"cmd", "seq", "token", "given", "program"});
  root["given"].AllowOnly({"strategy", "workers", "servers", "partitioner",
                           "replicas", "logical_devices"});
  root["program"].Items();
  return {.seq = root["seq"].Integer(),
          .request = {.token = root["token"].Text(),
                      .given = root["given"].json(),
                      .program = root["program"].json()}};
}

Failure ReadFailure(const JsonCursor& error) {
  error.AllowOnly({"class", "message", "at_step"});
  const JsonCursor error_class = error["class"];
  if (!IsErrorClass(error_class.String())) {
    error_class.Fail(
        fmt::format("unknown error class '{}'", error_class.String()));
  }
  return {.error_class = error_class.String(),
          .message = error["message"].String(),
          .at_step = error["at_step"].Text()};
}

Unsupported ReadUnsupported(const JsonCursor& unsupported) {
  unsupported.AllowOnly({"step", "reason"});
  return {.step = unsupported["step"].Text(),
          .reason = unsupported["reason"].Text()};
}

}  // namespace

std::string EncodeStart() {
  return ToLine({{"cmd", "start"}, {"version", kProtocolVersion}});
}

std::string EncodeRun(int64_t seq, const Request& request) {
  return ToLine({{"cmd", "run"},
                 {"seq", seq},
                 {"token", request.token},
                 {"given", request.given},
                 {"program", request.program}});
}

std::string EncodeStop() { return ToLine({{"cmd", "stop"}}); }

Command DecodeCommand(std::string_view line) {
  const Json message = Parse(line, "command", MessageDeadline::max());
  const JsonCursor root = Root(message, "command");
  const JsonCursor name = root["cmd"];
  if (name.String() == "run") return ReadRun(root);
  if (name.String() == "start") {
    root.AllowOnly({"cmd", "version"});
    CheckVersion(root["version"]);
    return StartCommand{};
  }
  if (name.String() == "stop") {
    root.AllowOnly({"cmd"});
    return StopCommand{};
  }
  name.Fail(fmt::format("unknown command '{}', wanted start, run or stop",
                        name.String()));
}

Json DeclarationToJson(const TesteeDeclaration& declaration) {
  Json message = {{"version", kProtocolVersion},
                  {"name", declaration.name},
                  {"implementation", declaration.implementation},
                  {"language", declaration.language},
                  {"devices", declaration.devices},
                  {"conventions", declaration.conventions},
                  {"steps", declaration.steps}};
  if (declaration.workers > 0) message["workers"] = declaration.workers;
  return message;
}

std::string EncodeDeclaration(const TesteeDeclaration& declaration) {
  return ToLine(DeclarationToJson(declaration));
}

TesteeDeclaration ReadDeclaration(const JsonCursor& root) {
  root.AllowOnly({"version", "name", "implementation", "language", "devices",
                  "conventions", "steps", "workers"});
  CheckVersion(root["version"]);
  TesteeDeclaration declaration;
  declaration.name = root["name"].Text();
  if (declaration.name.size() > kMaxNameBytes) {
    root["name"].Fail(fmt::format("wanted a name of at most {} bytes, got {}",
                                  kMaxNameBytes, declaration.name.size()));
  }
  declaration.implementation = root["implementation"].Text();
  declaration.language = root["language"].Text();
  declaration.devices = ReadTexts(root["devices"]);
  for (const auto& [name, value] : root["conventions"].Fields()) {
    declaration.conventions.emplace(name, value.Text());
  }
  declaration.steps = ReadTexts(root["steps"]);
  if (const auto workers = root.Find("workers")) {
    declaration.workers = workers->IntegerBetween(1, kMaxWorkers);
  }
  return declaration;
}

TesteeDeclaration DecodeDeclaration(std::string_view line,
                                    MessageDeadline deadline) {
  const Json message = Parse(line, "declaration", deadline);
  return ReadDeclaration(Root(message, "declaration"));
}

Answer ReadReplied(const JsonCursor& message) {
  if (const auto error = message.Find("error")) return ReadFailure(*error);
  if (const auto unsupported = message.Find("unsupported")) {
    return ReadUnsupported(*unsupported);
  }
  const JsonCursor observations = message["observations"];
  observations.CheckObject();
  return Observations{observations.json()};
}

std::string EncodeReply(const Reply& reply) {
  Json message = {{"seq", reply.seq}};
  message.update(AnswerToJson(reply.answer));
  std::string line = ToLine(message);
  const std::string problem = WhyTooLarge(message, line);
  if (problem.empty()) return line;
  const Failure failure{.error_class = "ResourceExhausted",
                        .message = "[Protocol] " + problem,
                        .at_step = "testee"};
  return ToLine(
      {{"seq", reply.seq}, {"error", AnswerToJson(failure)["error"]}});
}

Reply DecodeReply(std::string_view line, MessageDeadline deadline) {
  Json message = Parse(line, "reply", deadline);
  const JsonCursor root = Root(message, "reply");
  root.AllowOnly({"seq", "observations", "error", "unsupported"});
  const int64_t seq = root["seq"].Integer();
  if (message.size() != 2) {
    root.Fail(
        fmt::format("wanted seq and one of observations, error and "
                    "unsupported, got {} fields",
                    message.size()));
  }
  if (!root.Find("observations")) return {seq, ReadReplied(root)};
  root["observations"].CheckObject();
  return {seq, Observations{std::move(message["observations"])}};
}

void CheckObservations(const Observations& observations, const Json& program) {
  const std::vector<std::string> names = ObservationNamesOf(program);
  const JsonCursor cursor(observations.values, "observations", kOperation);
  for (const auto& [name, value] : cursor.Fields()) {
    if (std::ranges::find(names, name) == names.end()) {
      value.Fail("no step of the program observes it");
    }
  }
}

}  // namespace lockstep
