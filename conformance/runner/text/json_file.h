// Reads and writes JSON files.
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

// A value in a JSON file that knows its path, for precise error messages.
//
//   JsonCursor root(json, "cases/input/rebatch.json", "LoadCases");
//   root["cases"][3]["level"].String();
//   // InvalidArgument "[LoadCases] cases/input/rebatch.json at
//   //   $.cases[3].level: wanted a string, got 7"
class JsonCursor {
 public:
  // `operation` begins the errors. REQUIRES: `json` outlives the cursor and all
  // cursors made from it.
  JsonCursor(const Json& json, std::string file, std::string operation)
      : JsonCursor(json, std::move(file), std::move(operation), "$") {}

  const Json& json() const { return *json_; }
  const std::string& file() const { return file_; }
  // "$.cases[3].level"
  const std::string& path() const { return path_; }

  // Errors of all: InvalidArgument with operation, file and path.
  //
  // All fields of an object, with their names.
  std::vector<std::pair<std::string, JsonCursor>> Fields() const;
  // A required field of an object.
  JsonCursor operator[](std::string_view field) const;
  std::optional<JsonCursor> Find(std::string_view field) const;
  // The same place with another value, which outlives the cursor.
  JsonCursor With(const Json& json) const {
    return {json, file_, operation_, path_};
  }
  // All items of a list.
  std::vector<JsonCursor> Items() const;
  // A list with at least one item.
  std::vector<JsonCursor> NonEmptyItems() const;

  const std::string& String() const;
  // A non-empty string.
  const std::string& Text() const;
  int64_t Integer() const;
  // An integer from `least` to `most`, inclusive.
  int64_t IntegerBetween(int64_t least, int64_t most) const;
  double NonNegativeNumber() const;
  // Checks that it is an object with no other fields than these.
  void AllowOnly(const std::vector<std::string_view>& fields) const;
  // Checks that it is an object.
  void CheckObject() const;
  // Checks that the field `format` of the object, if there is one, is this
  // number.
  void CheckFormat(int64_t format) const;

  // Throws the error. Shortens a long `problem`, and escapes its control
  // characters.
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

// The format of written files: a value that fits on a line of 110 columns is on
// one line, others are indented by two. tools/check_cases/case_format.py is the
// same in Python.
//
// The value on one line: {"a": 1, "b": [1, 2]}.
std::string OneLineJson(const Json& value);
// Whether OneLineJson(value) is longer. Stops after `bytes` bytes.
bool IsLongerThan(size_t bytes, const Json& value);

// The text of a file, with its line end.
std::string CompactJson(const Json& value);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_TEXT_JSON_FILE_H_
