// JSON by nlohmann-json, with typed errors. Only a file that uses the parts of
// a value includes <nlohmann/json.hpp>, which takes a second to compile.
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

// Deeper values could exhaust the stack when they are copied or printed.
inline constexpr int kDeepestJson = 200;
// Per object: finding a field takes linear time.
inline constexpr size_t kMostJsonFields = 1000;

// Parses `text` in linear time. `origin` (a file name, say) leads the error
// message.
//
//   ParseJson(R"({"a": 1, "a": 2})", "case.json");
//   // InvalidArgument "[ParseJson] case.json: duplicate field 'a'"
//
// Errors: InvalidArgument, with line and column, for malformed text; also for
// text that other parsers read differently: a duplicate field in one object, a
// number beyond double (1e400); and for more than `deepest` levels of lists and
// objects, or objects of more than kMostJsonFields.
Json ParseJson(std::string_view text, std::string_view origin,
               int deepest = kDeepestJson);

// The same before a deadline, for text from another party. Errors also:
// DeadlineExceeded.
Json ParseJsonBefore(std::string_view text, std::string_view origin,
                     int deepest,
                     std::chrono::steady_clock::time_point deadline);

// The integer `value`; nothing if it is not an integer or overflows int64_t.
std::optional<int64_t> IntegerIn(const Json& value);

// Reads and parses a file. Errors: NotFound, InvalidArgument.
Json ReadJsonFile(const std::string& path);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_BASE_JSON_H_
