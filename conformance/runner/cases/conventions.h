// Conventions: choices in which implementations may differ and all conform
// (conformance/conventions.json).
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_CASES_CONVENTIONS_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_CASES_CONVENTIONS_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/runner/text/json_file.h"

namespace lockstep {

// Convention -> value: {{"remainder", "pad"}, ...}.
using Dialect = std::map<std::string, std::string>;

// Convention -> the accepted values, at least one, in the order of
// conventions.json: {{"remainder", {"pad", "drop"}}, ...}.
using When = std::map<std::string, std::vector<std::string>>;

// Whether the dialect has an accepted value of each convention in `when`.
bool Applies(const When& when, const Dialect& dialect);

// Whether no dialect satisfies both: for some convention they accept no common
// value.
bool ExcludeEachOther(const When& when, const When& other);

// "empty_replica: error, remainder: pad or drop".
std::string DescribeWhen(const When& when);

// All known conventions.
//
//   const Conventions conventions = Conventions::Load("conventions.json");
//   const Dialect dialect = conventions.Complete({{"remainder", "pad"}});
//   dialect.at("gradient_combination");  // "sum": the documented value
//
// A testee declares its values and is judged by them: an expectation with a
// `when` is judged only if it applies to the dialect.
class Conventions {
 public:
  // Reads conventions.json. Errors: NotFound; InvalidArgument with file and
  // JSON path for a duplicate convention or value, a convention with fewer than
  // two values, a note about unknown values.
  static Conventions Load(const std::string& path);

  // The value for every convention: the declared one, else the documented one.
  // Errors: InvalidArgument for an unknown convention or value.
  Dialect Complete(const Dialect& declared) const;

  // What is wrong with the pair; empty if it is valid.
  std::string Problem(std::string_view id, std::string_view value) const;

  // Reads {"<convention>": <choice>, ...}, where a choice is a value, a list of
  // values, or {"not": <value or list>}. Errors: InvalidArgument with file and
  // JSON path for any other form, an unknown convention or value, an empty
  // list, and a `not` that excludes every value.
  When ReadWhen(const JsonCursor& cursor) const;

 private:
  struct Convention {
    std::string id;
    std::vector<std::string> values;  // the first is the documented one
  };

  static Convention ReadConvention(const JsonCursor& cursor);
  std::vector<std::string> ReadChoice(std::string_view id,
                                      const JsonCursor& cursor) const;

  std::vector<Convention> conventions_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_CASES_CONVENTIONS_H_
