// JSON through nlohmann-json, with our typed errors.
#ifndef LOCKSTEP_REFERENCE_BASE_JSON_H_
#define LOCKSTEP_REFERENCE_BASE_JSON_H_

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace lockstep {

using Json = nlohmann::ordered_json;

// Parses `text`; `origin` (a file name, say) leads the error message.
// Errors: InvalidArgument with line and column for malformed text.
Json ParseJson(std::string_view text, std::string_view origin);

// Reads and parses a file. Errors: NotFound, InvalidArgument.
Json ReadJsonFile(const std::string& path);

// Writes `value` indented by two, aside and renamed: a reader never sees half.
// Errors: Unavailable or ResourceExhausted with the path and the system's word.
void WriteJsonFile(const std::string& path, const Json& value);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_BASE_JSON_H_
