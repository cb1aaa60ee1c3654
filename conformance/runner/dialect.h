// The values that an implementation has for the conventions in which
// implementations may differ and both be right (conformance/conventions.json).
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_DIALECT_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_DIALECT_H_

#include <map>
#include <string>

namespace lockstep {

// Convention -> value: {{"remainder", "pad"}, ...}.
using Dialect = std::map<std::string, std::string>;

// Every value that `when` asks for is the dialect's.
bool Applies(const Dialect& when, const Dialect& dialect);

// No dialect has both: they ask for different values of one convention.
bool ExcludeEachOther(const Dialect& when, const Dialect& other);

// "remainder: pad, empty_replica: error".
std::string DescribeDialect(const Dialect& dialect);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_DIALECT_H_
