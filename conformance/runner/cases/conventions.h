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

// Every value that `when` asks for is the dialect's.
bool Applies(const Dialect& when, const Dialect& dialect);

// No dialect has both: they ask for different values of one convention.
bool ExcludeEachOther(const Dialect& when, const Dialect& other);

// "remainder: pad, empty_replica: error".
std::string DescribeDialect(const Dialect& dialect);

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

  // Reads {"<convention>": "<value>", ...}. Errors: InvalidArgument with file
  // and JSON path for what is not one, or for an unknown convention or value.
  Dialect ReadWhen(const JsonCursor& cursor) const;

 private:
  struct Convention {
    std::string id;
    std::vector<std::string> values;  // the first is the documented one
  };

  static Convention ReadConvention(const JsonCursor& cursor);

  std::vector<Convention> conventions_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_CASES_CONVENTIONS_H_
