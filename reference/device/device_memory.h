// The memory of a device that the host cannot address, and the device's queue.
//
// Everything given to one device runs in the order in which it was given,
// later than the call; only CopyToHost and Synchronize wait for it.
#ifndef LOCKSTEP_REFERENCE_DEVICE_DEVICE_MEMORY_H_
#define LOCKSTEP_REFERENCE_DEVICE_DEVICE_MEMORY_H_

#include <cstddef>
#include <cstdint>

#include "reference/device/device_queues.h"
#include "reference/device/memory_source.h"

namespace lockstep {

// Thread-safe. Errors of all: Internal, when the device fails; it may be the
// failure of something queued earlier.
class DeviceMemory : public MemorySource {
 public:
  // Queues a copy; `from` may change as soon as this returns.
  virtual void CopyFromHost(void* to, const void* from, size_t bytes) = 0;
  // Copies when all that was queued has run, and waits for it.
  virtual void CopyToHost(void* to, const void* from, size_t bytes) = 0;
  // Queues a copy within this memory.
  virtual void Copy(void* to, const void* from, size_t bytes) = 0;
  // Queues a copy from another device of the same kind: after what is queued
  // there by now, and before what will be.
  virtual void CopyFrom(DeviceMemory& other, void* to, const void* from,
                        size_t bytes) = 0;
  // Queues writing the `value_bytes` (1, 2, 4 or 8) at `value` `count` times.
  virtual void Fill(void* to, const void* value, size_t value_bytes,
                    int64_t count) = 0;
  // Waits for all that was queued.
  virtual void Synchronize() = 0;

  // The queue that all of the above is given to is kCompute of these.
  virtual DeviceQueues& queues() = 0;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DEVICE_DEVICE_MEMORY_H_
