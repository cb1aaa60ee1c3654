// JSON through nlohmann-json, with our typed errors. A file that looks into a
// value includes <nlohmann/json.hpp>: reading that takes the compiler a second.
#ifndef LOCKSTEP_REFERENCE_BASE_JSON_H_
#define LOCKSTEP_REFERENCE_BASE_JSON_H_

#include <chrono>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep {

using Json = nlohmann::ordered_json;

// Deeper values could exhaust the stack of code that copies or prints them.
inline constexpr int kDeepestJson = 200;
// Of one object: a field is found by looking through all of them.
inline constexpr size_t kMostJsonFields = 1000;

// Parses `text`, in time that is proportional to it; `origin` (a file name, say)
// leads the error message.
//
//   ParseJson(R"({"a": 1, "a": 2})", "case.json");
//   // InvalidArgument "[ParseJson] case.json: the field 'a' stands in one
//   // object twice"
//
// Errors: InvalidArgument, with line and column for malformed text; also for
// what another reader would take for something else: a field twice in one
// object, a number that no double holds (1e400); and for lists and objects in
// more than `deepest` levels or objects of more than kMostJsonFields.
Json ParseJson(std::string_view text, std::string_view origin,
               int deepest = kDeepestJson);

// The same before a deadline, for text from another party. Errors: also
// DeadlineExceeded, when it is not parsed by then.
Json ParseJsonBefore(std::string_view text, std::string_view origin,
                     int deepest,
                     std::chrono::steady_clock::time_point deadline);

// The integer that `value` is; nothing for what is none or beyond an int64_t.
std::optional<int64_t> IntegerIn(const Json& value);

// Reads and parses a file. Errors: NotFound, InvalidArgument.
Json ReadJsonFile(const std::string& path);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_BASE_JSON_H_
