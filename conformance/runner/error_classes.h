// The names of errors in cases and in answers (operations.md).
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_ERROR_CLASSES_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_ERROR_CLASSES_H_

#include <string_view>

namespace lockstep {

// True for "InvalidArgument" and the others, false for "ValueError".
bool IsErrorClass(std::string_view name);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_ERROR_CLASSES_H_
