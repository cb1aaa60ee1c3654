#include "reference/distribute/input/delivery.h"

#include <algorithm>
#include <memory>
#include <shared_mutex>
#include <span>
#include <utility>

#include "reference/base/error.h"
#include "reference/base/log.h"
#include "reference/data/prefetch_reader.h"
#include "reference/device/capture_session.h"

namespace lockstep::distribute_internal {
namespace {

// A block may be this many times larger than its contents: batches have one
// size, except for a smaller last one.
constexpr size_t kMostWaste = 2;

}  // namespace

CopyRing::CopyRing(Device& device)
    : device_(device),
      streams_(device.memory()->streams()),
      pool_(*device.memory()) {}

CopyRing::~CopyRing() {
  try {
    // The device's memory waits for the compute stream before it frees a block.
    const std::shared_lock turn(device_.memory()->capture_mutex());
    Follow(streams_, DeviceStream::kCompute, DeviceStream::kCopy);
  } catch (const std::exception& error) {
    LogWarning("cannot wait for copies of input: {}", error.what());
  }
  for (const Block& block : free_) pool_.Free(block.data, block.bytes);
  for (const Block& block : unrecorded_) pool_.Free(block.data, block.bytes);
}

BufferPtr CopyRing::Copy(const void* from, size_t bytes) {
  auto lease = std::make_unique<Lease>(Lease{shared_from_this(), Take(bytes)});
  const Block& block = lease->block;
  BufferPtr buffer = Buffer::Wrap(device_, block.data, bytes,
                                  &CopyRing::EndLease, lease.get());
  lease.release();  // the buffer's
  if (block.used) streams_.WaitFor(DeviceStream::kCopy, *block.used);
  streams_.CopyFromHost(block.data, from, bytes);
  return buffer;
}

std::unique_ptr<DeviceStreams::Event> CopyRing::Record() {
  return streams_.Record(DeviceStream::kCopy);
}

void CopyRing::Deliver(const DeviceStreams::Event& event) {
  const std::shared_lock turn(device_.memory()->capture_mutex());
  streams_.WaitFor(DeviceStream::kCompute, event);
}

CopyRing::Block CopyRing::Take(size_t bytes) {
  std::lock_guard lock(mutex_);
  const auto fits = [bytes](const Block& block) {
    return bytes <= block.bytes && block.bytes <= kMostWaste * bytes;
  };
  const auto found = std::ranges::find_if(free_, fits);
  if (found == free_.end()) return TakeNew(bytes);
  Block block = std::move(*found);
  free_.erase(found);
  return block;
}

CopyRing::Block CopyRing::TakeNew(size_t bytes) {
  try {
    return {pool_.Allocate(bytes), bytes, nullptr};
  } catch (const Error&) {
    if (free_.empty()) throw;
  }
  // Free blocks of other sizes take up memory that the new one needs.
  for (; !free_.empty(); free_.pop_front()) {
    const Block& block = free_.front();
    if (block.used) streams_.WaitFor(DeviceStream::kCopy, *block.used);
    pool_.Free(block.data, block.bytes);
  }
  return {pool_.Allocate(bytes), bytes, nullptr};
}

void CopyRing::EndLease(void* context) noexcept {
  const std::unique_ptr<Lease> lease(static_cast<Lease*>(context));
  try {
    lease->ring->TakeBack(std::move(lease->block));
  } catch (const std::exception& error) {
    // The device has failed, and the block with it.
    LogWarning("cannot reclaim memory of input: {}", error.what());
  }
}

void CopyRing::TakeBack(Block block) {
  if (PrivateMemory::Current() != nullptr) return;
  std::lock_guard lock(mutex_);
  unrecorded_.push_back(std::move(block));
  // Does not wait: the releasing thread may be the one that captures.
  const std::shared_lock turn(device_.memory()->capture_mutex(),
                              std::try_to_lock);
  if (!turn.owns_lock()) return;
  for (; !unrecorded_.empty(); unrecorded_.pop_front()) {
    unrecorded_.front().used = streams_.Record(DeviceStream::kCompute);
    free_.push_back(std::move(unrecorded_.front()));
  }
}

Placement::Placement(std::vector<Device*> devices, bool fetch_to_device)
    : devices_(std::move(devices)), fetch_to_device_(fetch_to_device) {
  for (Device* device : devices_) {
    const bool copies = fetch_to_device_ && !device->on_host();
    rings_.push_back(copies ? std::make_shared<CopyRing>(*device) : nullptr);
  }
}

void Placement::Place(Structure& element, int replica) const {
  if (!fetch_to_device_) return;
  element.Update([&](Tensor& leaf) { PlaceTensor(leaf, replica); });
}

void Placement::PlaceTensor(Tensor& tensor, int replica) const {
  const bool copied = rings_[replica] != nullptr && tensor.on_host() &&
                      tensor.dtype() != DType::kString && tensor.bytes() > 0;
  if (copied) {
    tensor = Tensor::FromBuffer(
        rings_[replica]->Copy(tensor.raw_data(), tensor.bytes()),
        tensor.shape(), tensor.dtype());
  } else if (&tensor.device() != &device(replica)) {
    tensor = tensor.To(device(replica));
  }
}

bool Placement::is_light() const {
  return !fetch_to_device_ ||
         std::ranges::all_of(devices_, [](const Device* device) {
           return device->kind() == DeviceKind::kCpu;
         });
}

bool Placement::copies() const {
  return std::ranges::any_of(rings_, [](const auto& ring) { return !!ring; });
}

CopyEvents Placement::RecordCopies() const {
  CopyEvents events;
  for (const auto& ring : rings_) {
    events.push_back(ring ? ring->Record() : nullptr);
  }
  return events;
}

void Placement::Deliver(const CopyEvents& copied) const {
  for (size_t i = 0; i < rings_.size(); ++i) {
    if (rings_[i]) rings_[i]->Deliver(*copied[i]);
  }
}

namespace {

using data_internal::PrefetchReader;
using data_internal::Reader;
using data_internal::ReaderPtr;

// A step, and events that mark the end of its copies.
struct RecordedStep {
  Step step;
  CopyEvents copied;
};

class RecordingReader final : public Reader<RecordedStep> {
 public:
  RecordingReader(ReaderPtr<Step> placed, const Placement& placement)
      : placed_(std::move(placed)), placement_(placement) {}

  int64_t Next(std::span<RecordedStep> out) override {
    RecordedStep& recorded = out.front();
    if (placed_->Next({&recorded.step, 1}) == 0) return 0;
    recorded.copied = placement_.RecordCopies();
    return 1;
  }

 private:
  const ReaderPtr<Step> placed_;
  const Placement placement_;
};

class DeliveringReader final : public Reader<Step> {
 public:
  DeliveringReader(ReaderPtr<RecordedStep> recorded, const Placement& placement)
      : recorded_(std::move(recorded)), placement_(placement) {}

  int64_t Next(std::span<Step> out) override {
    RecordedStep recorded;
    if (recorded_->Next({&recorded, 1}) == 0) return 0;
    placement_.Deliver(recorded.copied);
    out.front() = std::move(recorded.step);
    return 1;
  }

 private:
  const ReaderPtr<RecordedStep> recorded_;
  const Placement placement_;
};

}  // namespace

ReaderPtr<Step> DeliverSteps(ReaderPtr<Step> placed,
                             const Placement& placement) {
  auto recorded =
      std::make_unique<RecordingReader>(std::move(placed), placement);
  auto ahead =
      std::make_unique<PrefetchReader<RecordedStep>>(std::move(recorded),
                                                     /*buffer_size=*/1);
  return std::make_unique<DeliveringReader>(std::move(ahead), placement);
}

}  // namespace lockstep::distribute_internal
