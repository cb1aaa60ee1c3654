// The streams of one logical GPU, with events, and pinned memory for copies
// from and to the host.
#ifndef LOCKSTEP_REFERENCE_DEVICE_CUDA_CUDA_STREAMS_H_
#define LOCKSTEP_REFERENCE_DEVICE_CUDA_CUDA_STREAMS_H_

#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>

#include "reference/device/device.h"

namespace lockstep {

class CudaStream;

// A point in a stream that other streams can wait for, and that has a time.
// Errors of all: Internal. REQUIRES: the thread's current GPU is the stream's.
class CudaEvent {
 public:
  enum class Timing { kNo, kYes };

  explicit CudaEvent(Timing timing = Timing::kNo);
  ~CudaEvent();
  CudaEvent(const CudaEvent&) = delete;
  CudaEvent& operator=(const CudaEvent&) = delete;

  // Records the event after all work that the stream has so far.
  void Record(const CudaStream& stream);
  // Waits until the event is reached; returns at once if nothing was recorded.
  void Synchronize() const;

  cudaEvent_t get() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

// A stream of work on one GPU, independent of CUDA's default stream. Errors of
// all: Internal; waiting reports failures of earlier work in the stream.
class CudaStream {
 public:
  // On the calling thread's current GPU.
  CudaStream();
  ~CudaStream();
  CudaStream(const CudaStream&) = delete;
  CudaStream& operator=(const CudaStream&) = delete;

  // Waits until all queued work has run.
  void Synchronize() const;
  // Work that is queued later runs after the event.
  void WaitFor(const CudaEvent& event) const;

  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

// Host memory that a GPU can copy from and to directly.
class PinnedBuffer {
 public:
  // Errors: ResourceExhausted, with the size.
  explicit PinnedBuffer(size_t bytes);
  ~PinnedBuffer();
  PinnedBuffer(const PinnedBuffer&) = delete;
  PinnedBuffer& operator=(const PinnedBuffer&) = delete;

  std::byte* data() const { return static_cast<std::byte*>(data_); }
  size_t bytes() const { return bytes_; }

 private:
  void* data_ = nullptr;
  size_t bytes_;
};

// Copies between ordinary host memory and a GPU through pinned memory.
//
// The pinned memory is two slots: while the GPU copies one, the host fills or
// empties the other.
//
// Thread-safe. Errors of both: ResourceExhausted if pinned memory is exhausted,
// Internal. REQUIRES: the thread's current GPU is the stream's.
class PinnedStaging {
 public:
  static constexpr size_t kSlotBytes = size_t{4} << 20;

  // Enqueues the copy; `from` may change as soon as this returns.
  void ToDevice(void* to, const void* from, size_t bytes,
                const CudaStream& stream);
  // Copies after all work queued so far, and waits for the copy.
  void ToHost(void* to, const void* from, size_t bytes,
              const CudaStream& stream);

 private:
  struct Slot {
    PinnedBuffer buffer{kSlotBytes};
    CudaEvent copied;  // the GPU no longer needs the slot
  };
  Slot& NextSlot();

  std::mutex mutex_;
  std::array<std::unique_ptr<Slot>, 2> slots_;  // created when first used
  int next_ = 0;
};

// The streams of one logical GPU.
class CudaStreams final : public DeviceStreams {
 public:
  // `compute` is a stream of GPU number `gpu` of the machine, and outlives
  // this.
  CudaStreams(int gpu, const CudaStream& compute)
      : gpu_(gpu), compute_(compute) {}

  // For a launch or a library's handle. Also makes the GPU the calling thread's
  // current one. Streams other than kCompute are created when first used: each
  // takes one of a GPU's few connections. Errors: Internal.
  const CudaStream& stream(DeviceStream which);

  std::unique_ptr<Event> Record(DeviceStream which) override;
  void WaitFor(DeviceStream which, const Event& event) override;
  // Uses its own pinned memory, so that it does not wait for copies in other
  // streams.
  void CopyFromHost(void* to, const void* from, size_t bytes) override;

 private:
  struct SideStream {
    std::once_flag made;
    std::unique_ptr<CudaStream> stream;
  };
  static const CudaStream& Get(SideStream& side);

  const int gpu_;
  const CudaStream& compute_;
  SideStream communication_;
  SideStream copy_;
  PinnedStaging staging_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DEVICE_CUDA_CUDA_STREAMS_H_
