// For tests: what a program holds on to.
#ifndef LOCKSTEP_REFERENCE_DEVICE_MEMORY_TESTING_H_
#define LOCKSTEP_REFERENCE_DEVICE_MEMORY_TESTING_H_

#include <malloc.h>

#include <cstdint>

namespace lockstep {

// Bytes that the program has asked for and not given back; 0 where a sanitizer
// counts for itself.
inline int64_t BytesHeld() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<int64_t>(info.uordblks + info.hblkhd);
}

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DEVICE_MEMORY_TESTING_H_
