#include "reference/device/cuda/cuda_streams.h"

#include <cuda_runtime_api.h>
#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "reference/base/check.h"
#include "reference/device/cuda/check_cuda.h"

namespace lockstep {

CudaEvent::CudaEvent(Timing timing) {
  const unsigned flags =
      timing == Timing::kYes ? cudaEventDefault : cudaEventDisableTiming;
  CheckCuda(cudaEventCreateWithFlags(&event_, flags), "[CudaEvent] create");
}

// Fails only if the whole device has failed, which other calls report.
CudaEvent::~CudaEvent() { cudaEventDestroy(event_); }

void CudaEvent::Record(const CudaStream& stream) {
  CheckCuda(cudaEventRecord(event_, stream.get()), "[CudaEvent] record");
}

void CudaEvent::Synchronize() const {
  CheckCuda(cudaEventSynchronize(event_), "[CudaEvent] wait");
}

CudaStream::CudaStream() {
  CheckCuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking),
            "[CudaStream] create");
}

// Fails only if the whole device has failed, which other calls report.
CudaStream::~CudaStream() { cudaStreamDestroy(stream_); }

void CudaStream::Synchronize() const {
  CheckCuda(cudaStreamSynchronize(stream_), "[CudaStream] synchronize");
}

void CudaStream::WaitFor(const CudaEvent& event) const {
  CheckCuda(cudaStreamWaitEvent(stream_, event.get(), 0),
            "[CudaStream] wait for an event");
}

PinnedBuffer::PinnedBuffer(size_t bytes) : bytes_(bytes) {
  // Portable: any GPU may copy from and to it.
  CheckCuda(cudaHostAlloc(&data_, bytes, cudaHostAllocPortable),
            fmt::format("[PinnedBuffer] {} bytes", bytes));
}

// Fails only if the whole device has failed, which other calls report.
PinnedBuffer::~PinnedBuffer() { cudaFreeHost(data_); }

PinnedStaging::Slot& PinnedStaging::NextSlot() {
  std::unique_ptr<Slot>& slot = slots_[next_];
  next_ = (next_ + 1) % static_cast<int>(slots_.size());
  if (!slot) slot = std::make_unique<Slot>();
  slot->copied.Synchronize();
  return *slot;
}

void PinnedStaging::ToDevice(void* to, const void* from, size_t bytes,
                             const CudaStream& stream) {
  std::lock_guard lock(mutex_);
  auto* target = static_cast<std::byte*>(to);
  const auto* source = static_cast<const std::byte*>(from);
  for (size_t done = 0; done < bytes; done += kSlotBytes) {
    const size_t count = std::min(kSlotBytes, bytes - done);
    Slot& slot = NextSlot();
    std::memcpy(slot.buffer.data(), source + done, count);
    CheckCuda(cudaMemcpyAsync(target + done, slot.buffer.data(), count,
                              cudaMemcpyHostToDevice, stream.get()),
              "[CopyFromHost] enqueue the copy");
    slot.copied.Record(stream);
  }
}

void PinnedStaging::ToHost(void* to, const void* from, size_t bytes,
                           const CudaStream& stream) {
  std::lock_guard lock(mutex_);
  auto* target = static_cast<std::byte*>(to);
  const auto* source = static_cast<const std::byte*>(from);
  Slot* arriving = nullptr;
  size_t arriving_at = 0;
  const auto unload = [&](size_t end) {
    if (arriving == nullptr) return;
    arriving->copied.Synchronize();
    std::memcpy(target + arriving_at, arriving->buffer.data(),
                end - arriving_at);
  };
  for (size_t done = 0; done < bytes; done += kSlotBytes) {
    const size_t count = std::min(kSlotBytes, bytes - done);
    Slot& slot = NextSlot();
    CheckCuda(cudaMemcpyAsync(slot.buffer.data(), source + done, count,
                              cudaMemcpyDeviceToHost, stream.get()),
              "[CopyToHost] enqueue the copy");
    slot.copied.Record(stream);
    unload(done);
    arriving = &slot;
    arriving_at = done;
  }
  unload(bytes);
}

namespace {

struct CudaStreamEvent final : public DeviceStreams::Event {
  CudaEvent event;
};

}  // namespace

const CudaStream& CudaStreams::Get(SideStream& side) {
  std::call_once(side.made,
                 [&] { side.stream = std::make_unique<CudaStream>(); });
  return *side.stream;
}

const CudaStream& CudaStreams::stream(DeviceStream which) {
  CheckCuda(cudaSetDevice(gpu_), "[CudaStreams] make the GPU current");
  if (which == DeviceStream::kCommunication) return Get(communication_);
  if (which == DeviceStream::kCopy) return Get(copy_);
  return compute_;
}

std::unique_ptr<DeviceStreams::Event> CudaStreams::Record(DeviceStream which) {
  const CudaStream& recorded = stream(which);
  auto event = std::make_unique<CudaStreamEvent>();
  event->event.Record(recorded);
  return event;
}

void CudaStreams::WaitFor(DeviceStream which, const Event& event) {
  const auto* reached = dynamic_cast<const CudaStreamEvent*>(&event);
  LOCKSTEP_CHECK(reached != nullptr);
  stream(which).WaitFor(reached->event);
}

void CudaStreams::CopyFromHost(void* to, const void* from, size_t bytes) {
  staging_.ToDevice(to, from, bytes, stream(DeviceStream::kCopy));
}

}  // namespace lockstep
