// A failed system call as a typed error.
//
//   if (rename(from, to) != 0) {
//     throw SystemError(errno, "[Save] cannot rename {}", from);
//   }             // "[Save] cannot rename a: No such file or directory"
//
// NotFound for a path that does not exist, ResourceExhausted for a full disk,
// a quota or a size limit, Unavailable for everything else.
#ifndef LOCKSTEP_REFERENCE_BASE_SYSTEM_ERROR_H_
#define LOCKSTEP_REFERENCE_BASE_SYSTEM_ERROR_H_

#include <string>
#include <utility>

#include "reference/base/error.h"

namespace lockstep {

namespace base_internal {
Error MakeSystemError(int error_number, const std::string& message);
}  // namespace base_internal

template <typename... Args>
Error SystemError(int error_number, fmt::format_string<Args...> format,
                  Args&&... args) {
  return base_internal::MakeSystemError(
      error_number, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_BASE_SYSTEM_ERROR_H_
