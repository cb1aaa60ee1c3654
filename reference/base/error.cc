#include "reference/base/error.h"

#include <cerrno>
#include <system_error>

#include "reference/base/check.h"

namespace lockstep {

std::string_view CodeName(Code code) {
  switch (code) {
    case Code::kInvalidArgument:
      return "InvalidArgument";
    case Code::kOutOfRange:
      return "OutOfRange";
    case Code::kFailedPrecondition:
      return "FailedPrecondition";
    case Code::kNotFound:
      return "NotFound";
    case Code::kDataLoss:
      return "DataLoss";
    case Code::kUnavailable:
      return "Unavailable";
    case Code::kDeadlineExceeded:
      return "DeadlineExceeded";
    case Code::kUnimplemented:
      return "Unimplemented";
    case Code::kResourceExhausted:
      return "ResourceExhausted";
    case Code::kCancelled:
      return "Cancelled";
    case Code::kUnauthenticated:
      return "Unauthenticated";
    case Code::kInternal:
      return "Internal";
  }
  return "Unknown";
}

}  // namespace lockstep

namespace lockstep::base_internal {

void FailCheck(const char* file, int line, const char* condition) {
  throw Internal("[Check] {}:{}: broken invariant: {}", file, line, condition);
}

}  // namespace lockstep::base_internal

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
