// For tests: the memory that a program has allocated.
#ifndef LOCKSTEP_REFERENCE_DEVICE_MEMORY_TESTING_H_
#define LOCKSTEP_REFERENCE_DEVICE_MEMORY_TESTING_H_

#include <malloc.h>

#include <cstdint>

namespace lockstep {

// Bytes that are allocated and not freed; 0 with a sanitizer, which replaces
// the allocator.
inline int64_t BytesHeld() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<int64_t>(info.uordblks + info.hblkhd);
}

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DEVICE_MEMORY_TESTING_H_
