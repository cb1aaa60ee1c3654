// Typed errors, for everything that a caller can cause or handle.
//
// A message leads with the operation and shows the actual and expected values:
//
//   throw InvalidArgument("[Rebatch] replicas must be positive, got {}", 0);
//
//   try { ... } catch (const Error& e) {
//     e.code();   // Code::kInvalidArgument
//     e.what();   // "[Rebatch] replicas must be positive, got 0"
//   }
//
// For broken invariants of the code use LOCKSTEP_CHECK (check.h) instead.
#ifndef LOCKSTEP_REFERENCE_BASE_ERROR_H_
#define LOCKSTEP_REFERENCE_BASE_ERROR_H_

#include <fmt/core.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace lockstep {

// The documented error classes (TensorFlow's names for the same codes).
enum class Code {
  kInvalidArgument,     // an argument that can never be valid
  kOutOfRange,          // past the end, e.g. of a dataset
  kFailedPrecondition,  // right call, wrong state
  kNotFound,            // a named thing does not exist
  kDataLoss,            // stored data is damaged
  kUnavailable,         // may succeed when retried
  kDeadlineExceeded,    // took longer than allowed
  kUnimplemented,       // documented, not offered here
  kResourceExhausted,   // no space, no memory
  kCancelled,           // aborted because another party failed
  kUnauthenticated,     // missing or wrong credentials
  kInternal,            // a broken invariant of the code
};

// "InvalidArgument" for Code::kInvalidArgument, and so on.
std::string_view CodeName(Code code);

class Error : public std::runtime_error {
 public:
  Error(Code code, const std::string& message)
      : std::runtime_error(message), code_(code) {}

  Code code() const { return code_; }

 private:
  Code code_;
};

// One maker per code; arguments as for fmt::format.
#define LOCKSTEP_ERROR_MAKER(Name)                                  \
  template <typename... Args>                                       \
  Error Name(fmt::format_string<Args...> format, Args&&... args) {  \
    return Error(Code::k##Name,                                     \
                 fmt::format(format, std::forward<Args>(args)...)); \
  }
LOCKSTEP_ERROR_MAKER(InvalidArgument)
LOCKSTEP_ERROR_MAKER(OutOfRange)
LOCKSTEP_ERROR_MAKER(FailedPrecondition)
LOCKSTEP_ERROR_MAKER(NotFound)
LOCKSTEP_ERROR_MAKER(DataLoss)
LOCKSTEP_ERROR_MAKER(Unavailable)
LOCKSTEP_ERROR_MAKER(DeadlineExceeded)
LOCKSTEP_ERROR_MAKER(Unimplemented)
LOCKSTEP_ERROR_MAKER(ResourceExhausted)
LOCKSTEP_ERROR_MAKER(Cancelled)
LOCKSTEP_ERROR_MAKER(Unauthenticated)
LOCKSTEP_ERROR_MAKER(Internal)
#undef LOCKSTEP_ERROR_MAKER

namespace base_internal {
Error MakeSystemError(int error_number, const std::string& message);
}  // namespace base_internal

// A failed system call as a typed error.
//
//   if (rename(from, to) != 0) {
//     throw SystemError(errno, "[Save] cannot rename {}", from);
//   }             // "[Save] cannot rename a: No such file or directory"
//
// NotFound for a path that does not exist, ResourceExhausted for a full disk,
// a quota or a size limit, Unavailable for everything else.
template <typename... Args>
Error SystemError(int error_number, fmt::format_string<Args...> format,
                  Args&&... args) {
  return base_internal::MakeSystemError(
      error_number, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_BASE_ERROR_H_
