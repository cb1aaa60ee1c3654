// Conventions in which implementations may differ and both be right
// (conformance/conventions.json), and the values that one of them has.
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

// Convention -> the values that will do, of which there is one at least, in the
// order of conventions.json: {{"remainder", {"pad", "drop"}}, ...}.
using When = std::map<std::string, std::vector<std::string>>;

// The dialect has, of each convention in `when`, a value that will do.
bool Applies(const When& when, const Dialect& dialect);

// No dialect has both: of one convention no value will do for both.
bool ExcludeEachOther(const When& when, const When& other);

// "empty_replica: error, remainder: pad or drop".
std::string DescribeWhen(const When& when);

// All conventions that there are.
//
//   const Conventions conventions = Conventions::Load("conventions.json");
//   const Dialect dialect = conventions.Complete({{"remainder", "pad"}});
//   dialect.at("gradient_combination");  // "sum": the documented value
//
// A testee declares its values and is held to what it declared: expectations
// with a `when` are judged only where it agrees with the dialect.
class Conventions {
 public:
  // Reads conventions.json. Errors: NotFound; InvalidArgument with file and
  // JSON path for a convention or value that stands there twice, a convention
  // with fewer than two values, a note between values it does not have.
  static Conventions Load(const std::string& path);

  // The value for every convention: the declared one, else the documented one.
  // Errors: InvalidArgument for an unknown convention or value.
  Dialect Complete(const Dialect& declared) const;

  // What is wrong with the pair; empty when nothing is.
  std::string Problem(std::string_view id, std::string_view value) const;

  // Reads {"<convention>": <choice>, ...}, where a choice is a value, a list of
  // values, or {"not": <value or list>}. Errors: InvalidArgument with file and
  // JSON path for what is not one, for an unknown convention or value, for an
  // empty list, and for a `not` that leaves no value.
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
