// LOCKSTEP_CHECK(condition): for invariants of the code, never for input.
//
// A broken one throws Error(kInternal) with the place and the expression, so
// that a replica thread can report it to the caller and release the others.
#ifndef LOCKSTEP_REFERENCE_BASE_CHECK_H_
#define LOCKSTEP_REFERENCE_BASE_CHECK_H_

namespace lockstep::base_internal {

[[noreturn]] void FailCheck(const char* file, int line, const char* condition);

}  // namespace lockstep::base_internal

#define LOCKSTEP_CHECK(condition)                                           \
  do {                                                                      \
    if (!(condition)) [[unlikely]] {                                        \
      ::lockstep::base_internal::FailCheck(__FILE__, __LINE__, #condition); \
    }                                                                       \
  } while (false)

#endif  // LOCKSTEP_REFERENCE_BASE_CHECK_H_
