// Memory that comes to its end at a chosen moment. Linking this library puts an
// operator new of its own before the standard library's. Tests only.
#ifndef LOCKSTEP_REFERENCE_BASE_LIMITS_ALLOCATION_LIMIT_H_
#define LOCKSTEP_REFERENCE_BASE_LIMITS_ALLOCATION_LIMIT_H_

#include <cstdint>

namespace lockstep {

// Lets this process make only so many more objects.
//
//   AllocationLimit limit(/*more=*/2);
//   ... the third `new` from now on, and all later ones: std::bad_alloc
class AllocationLimit {
 public:
  // REQUIRES: one at a time.
  explicit AllocationLimit(int64_t more);
  ~AllocationLimit();
  AllocationLimit(const AllocationLimit&) = delete;
  AllocationLimit& operator=(const AllocationLimit&) = delete;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_BASE_LIMITS_ALLOCATION_LIMIT_H_
