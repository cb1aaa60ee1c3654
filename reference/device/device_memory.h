// The memory of a device that the host cannot address, and the device's queue.
//
// Everything given to one device runs in the order in which it was given,
// later than the call; only CopyToHost and Synchronize wait for it.
//
// While a CaptureSession captures what is queued, the capturing threads may
// only queue: what would wait for the device, or copy from the host, is their
// FailedPrecondition. Other threads' calls wait until the capture is over.
#ifndef LOCKSTEP_REFERENCE_DEVICE_DEVICE_MEMORY_H_
#define LOCKSTEP_REFERENCE_DEVICE_DEVICE_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <shared_mutex>
#include <span>

#include "reference/device/device_queues.h"
#include "reference/device/graph_capture.h"
#include "reference/device/memory_source.h"

namespace lockstep {

class Device;

// Thread-safe. Errors of all: Internal, when the device fails; it may be the
// failure of something queued earlier.
class DeviceMemory : public MemorySource {
 public:
  // Queues a copy; `from` may change as soon as this returns.
  void CopyFromHost(void* to, const void* from, size_t bytes);
  // Copies when all that was queued has run, and waits for it.
  void CopyToHost(void* to, const void* from, size_t bytes);
  // Queues a copy within this memory.
  void Copy(void* to, const void* from, size_t bytes);
  // Queues a copy from another device of the same kind: after what is queued
  // there by now, and before what will be.
  void CopyFrom(DeviceMemory& other, void* to, const void* from, size_t bytes);
  // Queues writing the `value_bytes` (1, 2, 4 or 8) at `value` `count` times.
  void Fill(void* to, const void* value, size_t value_bytes, int64_t count);
  // Waits for all that was queued.
  void Synchronize();

  // The queue that all of the above is given to is kCompute of these.
  virtual DeviceQueues& queues() = 0;

  // Captures what is queued on `devices`, of which this is the first one's
  // memory, until the capture ends. CaptureSession calls it, whose rules are
  // those of the capture. REQUIRES: all are of one kind, none is captured.
  virtual std::unique_ptr<GraphCapture> BeginCapture(
      std::span<Device* const> devices) = 0;

  // Held alone by who captures, shared by other threads that queue.
  std::shared_mutex& capture_mutex() { return capture_mutex_; }

 private:
  virtual void DoCopyFromHost(void* to, const void* from, size_t bytes) = 0;
  virtual void DoCopyToHost(void* to, const void* from, size_t bytes) = 0;
  virtual void DoCopy(void* to, const void* from, size_t bytes) = 0;
  virtual void DoCopyFrom(DeviceMemory& other, void* to, const void* from,
                          size_t bytes) = 0;
  virtual void DoFill(void* to, const void* value, size_t value_bytes,
                      int64_t count) = 0;
  virtual void DoSynchronize() = 0;

  std::shared_mutex capture_mutex_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DEVICE_DEVICE_MEMORY_H_
