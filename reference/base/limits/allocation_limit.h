// Makes memory run out at a chosen moment. Linking this library replaces
// operator new. For tests only.
#ifndef LOCKSTEP_REFERENCE_BASE_LIMITS_ALLOCATION_LIMIT_H_
#define LOCKSTEP_REFERENCE_BASE_LIMITS_ALLOCATION_LIMIT_H_

#include <cstdint>

namespace lockstep {

// Limits the number of allocations that this process may still make.
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
