// JSON files as the project reads and writes them.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_TEXT_JSON_FILE_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_TEXT_JSON_FILE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/base/error.h"
#include "reference/base/json.h"

namespace lockstep {

// A place in a JSON file that knows its way: for errors a person can act on.
//
//   JsonCursor root(json, "cases/input/rebatch.json", "LoadCases");
//   root["cases"][3]["level"].String();
//   // InvalidArgument "[LoadCases] cases/input/rebatch.json at
//   //   $.cases[3].level: wanted a string, got 7"
class JsonCursor {
 public:
  // `operation` leads the errors. REQUIRES: `json` lives as long as the cursor
  // and those made from it.
  JsonCursor(const Json& json, std::string file, std::string operation)
      : JsonCursor(json, std::move(file), std::move(operation), "$") {}

  const Json& json() const { return *json_; }
  const std::string& file() const { return file_; }
  // "$.cases[3].level"
  const std::string& path() const { return path_; }

  // Errors of all: InvalidArgument that leads with operation, file and path.
  //
  // All fields of an object, with their names.
  std::vector<std::pair<std::string, JsonCursor>> Fields() const;
  // A field that has to be there, of an object.
  JsonCursor operator[](std::string_view field) const;
  std::optional<JsonCursor> Find(std::string_view field) const;
  // The same place with another value, which outlives the cursor.
  JsonCursor With(const Json& json) const {
    return {json, file_, operation_, path_};
  }
  // All items of a list.
  std::vector<JsonCursor> Items() const;
  // A list with at least one item.
  std::vector<JsonCursor> SomeItems() const;

  const std::string& String() const;
  // A string with something in it.
  const std::string& Text() const;
  int64_t Integer() const;
  // One in these bounds, which belong to it.
  int64_t IntegerOf(int64_t least, int64_t most) const;
  double NonNegativeNumber() const;
  // An object with no other fields than these.
  void AllowOnly(const std::vector<std::string_view>& fields) const;
  // Any object.
  void CheckObject() const;
  // An object whose field `format`, if it has one, is this number.
  void CheckFormat(int64_t format) const;

  // A long problem is cut, and its control characters are escaped.
  [[noreturn]] void Fail(const std::string& problem) const;

 private:
  JsonCursor(const Json& json, std::string file, std::string operation,
             std::string path)
      : json_(&json),
        file_(std::move(file)),
        operation_(std::move(operation)),
        path_(std::move(path)) {}

  const Json* json_;
  std::string file_;
  std::string operation_;
  std::string path_;
};

// Writing: what fits on a line of 110 columns
// stands on one, the rest is indented by two. tools/check_cases/case_format.py
// is the same in Python.
//
// On one line: {"a": 1, "b": [1, 2]}.
std::string OneLineJson(const Json& value);
// Of that, at little more cost than so many bytes.
bool IsLongerThan(size_t bytes, const Json& value);

// The text of a file, with its line end.
std::string CompactJson(const Json& value);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_TEXT_JSON_FILE_H_
