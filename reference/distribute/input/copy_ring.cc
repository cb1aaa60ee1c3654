#include "reference/distribute/input/copy_ring.h"

#include <algorithm>
#include <shared_mutex>
#include <utility>

#include "reference/base/error.h"
#include "reference/base/log.h"
#include "reference/device/private_memory.h"

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

}  // namespace lockstep::distribute_internal
