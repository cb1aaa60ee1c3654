#include "reference/collectives/overlapped_all_reduce.h"

#include <utility>

#include "reference/base/log.h"

namespace lockstep {

using collectives_internal::EmptyLike;
using collectives_internal::PrepareForReduce;
using collectives_internal::Reachable;

OverlappedAllReduce::OverlappedAllReduce(Communicator* communicator, int rank,
                                         const CrossDeviceOps* ops)
    : communicator_(communicator),
      rank_(rank),
      ops_(ops),
      device_(Device::Current()) {}

OverlappedAllReduce::~OverlappedAllReduce() {
  try {
    Join();
  } catch (const std::exception& error) {
    // The device has failed, which whoever uses it next is told.
    LogWarning("an all-reduce was not waited for: {}", error.what());
  }
}

void OverlappedAllReduce::Start(ReduceOp op,
                                const std::vector<Tensor>& values) {
  Part& part = parts_.emplace_back();
  part.inputs = PrepareForReduce(op, Reachable(values, device_));
  if (communicator_ == nullptr || communicator_->ranks() == 1) {
    part.results = part.inputs;
    return;
  }
  part.results = EmptyLike(part.inputs, device_);
  joined_ = false;
  communicator_->AllReduceInto(rank_, *ops_, op, part.inputs, part.results,
                               DeviceQueue::kCommunication);
}

void OverlappedAllReduce::Join() {
  if (joined_) return;
  if (device_.memory() != nullptr) {
    Follow(device_.memory()->queues(), DeviceQueue::kCompute,
           DeviceQueue::kCommunication);
  }
  joined_ = true;
}

std::vector<std::vector<Tensor>> OverlappedAllReduce::Finish() {
  Join();
  std::vector<std::vector<Tensor>> results;
  for (Part& part : parts_) results.push_back(std::move(part.results));
  parts_.clear();
  return results;
}

}  // namespace lockstep
