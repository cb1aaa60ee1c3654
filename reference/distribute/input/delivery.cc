#include "reference/distribute/input/delivery.h"

#include <algorithm>
#include <memory>
#include <shared_mutex>
#include <span>
#include <utility>

#include "reference/base/error.h"
#include "reference/base/log.h"
#include "reference/data/prefetch_stream.h"
#include "reference/device/capture_session.h"

namespace lockstep::distribute_internal {
namespace {

// A block may be so many times as large as what it is used for: batches are of
// one size, and the last one of a pass is smaller.
constexpr size_t kMostWaste = 2;

}  // namespace

CopyRing::CopyRing(Device& device)
    : device_(device),
      queues_(device.memory()->queues()),
      pool_(*device.memory()) {}

CopyRing::~CopyRing() {
  try {
    // The device's memory waits for the compute queue before it frees a block.
    const std::shared_lock turn(device_.memory()->capture_mutex());
    Follow(queues_, DeviceQueue::kCompute, DeviceQueue::kCopy);
  } catch (const std::exception& error) {
    LogWarning("copies of input were not waited for: {}", error.what());
  }
  for (const Block& block : free_) pool_.Free(block.data, block.bytes);
  for (const Block& block : unmarked_) pool_.Free(block.data, block.bytes);
}

BufferPtr CopyRing::Copy(const void* from, size_t bytes) {
  auto loan = std::make_unique<Loan>(Loan{shared_from_this(), Take(bytes)});
  const Block& block = loan->block;
  BufferPtr buffer =
      Buffer::Wrap(device_, block.data, bytes, &CopyRing::EndLoan, loan.get());
  loan.release();  // the buffer's
  if (block.used) queues_.WaitFor(DeviceQueue::kCopy, *block.used);
  queues_.CopyFromHost(block.data, from, bytes);
  return buffer;
}

std::unique_ptr<DeviceQueues::Mark> CopyRing::Mark() {
  return queues_.Record(DeviceQueue::kCopy);
}

void CopyRing::Deliver(const DeviceQueues::Mark& mark) {
  const std::shared_lock turn(device_.memory()->capture_mutex());
  queues_.WaitFor(DeviceQueue::kCompute, mark);
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
  // Blocks of other sizes are in the way; the new one may lie where they did.
  for (; !free_.empty(); free_.pop_front()) {
    const Block& block = free_.front();
    if (block.used) queues_.WaitFor(DeviceQueue::kCopy, *block.used);
    pool_.Free(block.data, block.bytes);
  }
  return {pool_.Allocate(bytes), bytes, nullptr};
}

void CopyRing::EndLoan(void* context) noexcept {
  const std::unique_ptr<Loan> loan(static_cast<Loan*>(context));
  try {
    loan->ring->TakeBack(std::move(loan->block));
  } catch (const std::exception& error) {
    // The device has failed, and the block with it.
    LogWarning("memory of input was not taken back: {}", error.what());
  }
}

void CopyRing::TakeBack(Block block) {
  if (PrivateMemory::Current() != nullptr) return;
  std::lock_guard lock(mutex_);
  unmarked_.push_back(std::move(block));
  // Not waited for: whoever captures may be the one who lets go.
  const std::shared_lock turn(device_.memory()->capture_mutex(),
                              std::try_to_lock);
  if (!turn.owns_lock()) return;
  for (; !unmarked_.empty(); unmarked_.pop_front()) {
    unmarked_.front().used = queues_.Record(DeviceQueue::kCompute);
    free_.push_back(std::move(unmarked_.front()));
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
  if (element.is_leaf()) {
    PlaceTensor(element.leaf(), replica);
    return;
  }
  element = element.Map<Tensor>([&](Tensor leaf) {
    PlaceTensor(leaf, replica);
    return leaf;
  });
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

CopyMarks Placement::MarkCopies() const {
  CopyMarks marks;
  for (const auto& ring : rings_) {
    marks.push_back(ring ? ring->Mark() : nullptr);
  }
  return marks;
}

void Placement::Deliver(const CopyMarks& copied) const {
  for (size_t i = 0; i < rings_.size(); ++i) {
    if (rings_[i]) rings_[i]->Deliver(*copied[i]);
  }
}

namespace {

using data_internal::PrefetchStream;
using data_internal::Stream;
using data_internal::StreamPtr;

// A step, and where its copies end.
struct MarkedStep {
  Step step;
  CopyMarks copied;
};

class MarkingStream final : public Stream<MarkedStep> {
 public:
  MarkingStream(StreamPtr<Step> placed, const Placement& placement)
      : placed_(std::move(placed)), placement_(placement) {}

  int64_t Next(std::span<MarkedStep> out) override {
    MarkedStep& marked = out.front();
    if (placed_->Next({&marked.step, 1}) == 0) return 0;
    marked.copied = placement_.MarkCopies();
    return 1;
  }

 private:
  const StreamPtr<Step> placed_;
  const Placement placement_;
};

class DeliveringStream final : public Stream<Step> {
 public:
  DeliveringStream(StreamPtr<MarkedStep> marked, const Placement& placement)
      : marked_(std::move(marked)), placement_(placement) {}

  int64_t Next(std::span<Step> out) override {
    MarkedStep marked;
    if (marked_->Next({&marked, 1}) == 0) return 0;
    placement_.Deliver(marked.copied);
    out.front() = std::move(marked.step);
    return 1;
  }

 private:
  const StreamPtr<MarkedStep> marked_;
  const Placement placement_;
};

}  // namespace

StreamPtr<Step> DeliverSteps(StreamPtr<Step> placed,
                             const Placement& placement) {
  auto marked = std::make_unique<MarkingStream>(std::move(placed), placement);
  auto ahead = std::make_unique<PrefetchStream<MarkedStep>>(std::move(marked),
                                                            /*buffer_size=*/1);
  return std::make_unique<DeliveringStream>(std::move(ahead), placement);
}

}  // namespace lockstep::distribute_internal
