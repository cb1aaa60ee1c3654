// Copies between ordinary host memory and a GPU, by way of pinned memory.
//
// The pinned memory is two slots: while the GPU copies one, the host fills or
// empties the other.
#ifndef LOCKSTEP_REFERENCE_DEVICE_CUDA_PINNED_STAGING_H_
#define LOCKSTEP_REFERENCE_DEVICE_CUDA_PINNED_STAGING_H_

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>

#include "reference/device/cuda/cuda_event.h"
#include "reference/device/cuda/cuda_stream.h"
#include "reference/device/cuda/pinned_buffer.h"

namespace lockstep {

// Thread-safe. Errors of both: ResourceExhausted for a lack of pinned memory,
// Internal. REQUIRES: the thread's current GPU is the stream's.
class PinnedStaging {
 public:
  static constexpr size_t kSlotBytes = size_t{4} << 20;

  // Queues the copy; `from` may change as soon as this returns.
  void ToDevice(void* to, const void* from, size_t bytes,
                const CudaStream& stream);
  // Copies after what the stream was given by now, and waits for it.
  void ToHost(void* to, const void* from, size_t bytes,
              const CudaStream& stream);

 private:
  struct Slot {
    PinnedBuffer buffer{kSlotBytes};
    CudaEvent copied;  // the GPU is through with the slot
  };
  Slot& NextSlot();

  std::mutex mutex_;
  std::array<std::unique_ptr<Slot>, 2> slots_;  // made when first used
  int next_ = 0;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DEVICE_CUDA_PINNED_STAGING_H_
