#include "conformance/runner/probe/message_check.h"

#include <fmt/core.h>

#include "reference/base/error.h"
#include "reference/base/json.h"

namespace lockstep {
namespace {

constexpr const char* kSeeMessages = "see docs/protocol.md, 'Messages'";
constexpr const char* kSeeValues =
    "see docs/protocol.md, 'In short' and 'Values': a message is UTF-8, has no "
    "field twice, and a value that JSON does not have is a text such as "
    "\"NaN\"";

// The schema of a field, or of the items of a list, in the schema `around`;
// nullptr if there is none.
const Json* SchemaOf(const Json& schema, const Json& around,
                     const std::string& part) {
  const auto find = [](const Json& object, const char* field) {
    const auto found = object.find(field);
    return found == object.end() ? nullptr : &*found;
  };
  const Json* fields = find(around, "properties");
  const Json* found = part.ends_with(']') ? find(around, "items")
                      : fields            ? find(*fields, part.c_str())
                                          : nullptr;
  if (!found || !found->contains("$ref")) return found;
  const std::string reference = (*found)["$ref"].get<std::string>().substr(1);
  return &schema.at(Json::json_pointer(reference));
}

// The description of the place "$.error.class" in the schema: that of its
// field, or of the nearest enclosing one.
std::string DescriptionAt(const Json& schema, std::string_view path) {
  std::string description = schema.value("description", "");
  const Json* around = &schema;
  for (size_t at = 1; at < path.size() && around;) {
    const size_t start = path[at] == '.' ? at + 1 : at;
    const size_t end =
        std::min(path.find_first_of(".[", start + 1), path.size());
    around =
        SchemaOf(schema, *around, std::string(path.substr(start, end - start)));
    if (around) description = around->value("description", description);
    at = end;
  }
  return description;
}

std::string Wanted(const std::string& description) {
  return description.empty() ? kSeeMessages : "wanted: " + description;
}

// The mistake of a line that is not JSON; `problem` is the message of the
// parser.
Mistake MistakeInText(std::string_view problem, std::string_view line) {
  const size_t parsers_number = problem.find("[json.exception");
  std::string what = fmt::format("the line{}", problem);
  if (parsers_number != problem.npos) {
    what = fmt::format("the line is not JSON: {}",
                       problem.substr(problem.find("] ") + 2));
  }
  return {what, line.starts_with('{') ? kSeeValues : kKeepStdoutClean};
}

// All required fields that are missing, so that authors need not find them one
// by one.
Mistakes MissingFields(std::string_view line, const Json& schema) {
  const Json message = Json::parse(line);
  Mistakes mistakes;
  for (const Json& field : schema["required"]) {
    const std::string name = field;
    if (!message.is_object() || message.contains(name)) continue;
    mistakes.push_back({fmt::format("at $: the field '{}' is missing", name),
                        Wanted(DescriptionAt(schema, "$." + name))});
  }
  return mistakes;
}

// `kind`: the name of the message in errors of the decoder.
Mistakes MistakesOf(const Error& error, std::string_view line,
                    const std::string& kind, const Json& schema) {
  const std::string_view what = error.what();
  const std::string of_a_field = fmt::format("[Protocol] {} at ", kind);
  if (!what.starts_with(of_a_field)) {
    const size_t lead = fmt::format("[ParseJson] {}", kind).size();
    return {MistakeInText(what.substr(lead), line)};
  }
  Mistakes missing = MissingFields(line, schema);
  if (!missing.empty()) return missing;
  const std::string_view place = what.substr(of_a_field.size());
  return {{fmt::format("at {}", place),
           Wanted(DescriptionAt(schema, place.substr(0, place.find(": "))))}};
}

template <typename Message, typename Decode>
std::variant<Message, Mistakes> Read(std::string_view line,
                                     const std::string& kind,
                                     const Json& schema, const Decode& decode) {
  try {
    return decode(line);
  } catch (const Error& error) {
    return MistakesOf(error, line, kind, schema);
  }
}

}  // namespace

MessageCheck::MessageCheck(const std::string& folder)
    : declaration_schema_(ReadJsonFile(folder + "/declaration.schema.json")),
      reply_schema_(ReadJsonFile(folder + "/reply.schema.json")) {}

std::variant<TesteeDeclaration, Mistakes> MessageCheck::ReadDeclaration(
    std::string_view line) const {
  return Read<TesteeDeclaration>(
      line, "declaration", declaration_schema_,
      [](std::string_view text) { return DecodeDeclaration(text); });
}

std::variant<Reply, Mistakes> MessageCheck::ReadReply(
    std::string_view line) const {
  return Read<Reply>(line, "reply", reply_schema_,
                     [](std::string_view text) { return DecodeReply(text); });
}

}  // namespace lockstep
