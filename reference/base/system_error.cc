#include "reference/base/system_error.h"

#include <cerrno>
#include <system_error>

namespace lockstep {
namespace {

Code CodeOf(int error_number) {
  switch (error_number) {
    case ENOENT:
      return Code::kNotFound;
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return Code::kResourceExhausted;
    default:
      return Code::kUnavailable;
  }
}

}  // namespace

Error base_internal::MakeSystemError(int error_number,
                                     const std::string& message) {
  return Error(CodeOf(error_number),
               message + ": " + std::generic_category().message(error_number));
}

}  // namespace lockstep
