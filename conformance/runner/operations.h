// The steps a program may use: the headings "### `name`" of operations.md.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_OPERATIONS_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_OPERATIONS_H_

#include <functional>
#include <set>
#include <string>

namespace lockstep {

using StepNames = std::set<std::string, std::less<>>;

// Errors: NotFound; InvalidArgument for a step that stands there twice, or a
// document without steps.
StepNames LoadStepNames(const std::string& path);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_OPERATIONS_H_
