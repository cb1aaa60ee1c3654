#include "reference/device/cuda/pinned_staging.h"

#include <algorithm>
#include <cstring>

#include "reference/device/cuda/check_cuda.h"

namespace lockstep {

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
              "[CopyFromHost] queue the copy");
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
              "[CopyToHost] queue the copy");
    slot.copied.Record(stream);
    unload(done);
    arriving = &slot;
    arriving_at = done;
  }
  unload(bytes);
}

}  // namespace lockstep
