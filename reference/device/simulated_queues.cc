#include "reference/device/simulated_queues.h"

#include <algorithm>
#include <utility>

namespace lockstep {
namespace {

constexpr const char* kNames[] = {"compute", "communication", "copy"};

size_t IndexOf(DeviceQueue queue) { return static_cast<size_t>(queue); }

std::string NameOf(DeviceQueue queue) { return kNames[IndexOf(queue)]; }

}  // namespace

struct SimulatedQueues::SimulatedMark final : public Mark {
  DeviceQueue queue = DeviceQueue::kCompute;
  std::shared_ptr<PlaceReached> place = std::make_shared<PlaceReached>();
};

SimulatedQueues::SimulatedQueues(View view) : view_(std::move(view)) {}

void SimulatedQueues::Hold(DeviceQueue queue) {
  std::lock_guard lock(mutex_);
  queues_[IndexOf(queue)].held = true;
}

void SimulatedQueues::Release(DeviceQueue queue) {
  std::lock_guard lock(mutex_);
  queues_[IndexOf(queue)].held = false;
  RunWhatCan();
}

void SimulatedQueues::Submit(DeviceQueue queue, const std::string& name,
                             std::function<void()> work) {
  std::lock_guard lock(mutex_);
  log_.push_back(NameOf(queue) + ": " + name);
  Give(queue, {std::move(work), nullptr});
}

std::vector<std::string> SimulatedQueues::log() const {
  std::lock_guard lock(mutex_);
  return log_;
}

std::unique_ptr<DeviceQueues::Mark> SimulatedQueues::Record(DeviceQueue queue) {
  std::lock_guard lock(mutex_);
  auto mark = std::make_unique<SimulatedMark>();
  mark->queue = queue;
  Give(queue, {[place = mark->place] { place->reached = true; }, nullptr});
  return mark;
}

void SimulatedQueues::WaitFor(DeviceQueue queue, const Mark& mark) {
  std::lock_guard lock(mutex_);
  const auto& awaited = dynamic_cast<const SimulatedMark&>(mark);
  log_.push_back(NameOf(queue) + " waits for " + NameOf(awaited.queue));
  Give(queue, {[] {}, awaited.place});
}

void SimulatedQueues::CopyFromHost(void* to, const void* from, size_t bytes) {
  const auto* begin = static_cast<const std::byte*>(from);
  Submit(DeviceQueue::kCopy, std::to_string(bytes) + " bytes",
         [this, to, pinned = std::vector<std::byte>(begin, begin + bytes)] {
           std::ranges::copy(pinned, view_(to));
         });
}

void SimulatedQueues::Give(DeviceQueue queue, Item item) {
  queues_[IndexOf(queue)].items.push_back(std::move(item));
  RunWhatCan();
}

void SimulatedQueues::RunWhatCan() {
  const auto can_run = [](const Queue& queue) {
    if (queue.held || queue.items.empty()) return false;
    const auto& awaited = queue.items.front().awaited;
    return awaited == nullptr || awaited->reached;
  };
  while (true) {
    const auto next = std::ranges::find_if(queues_, can_run);
    if (next == queues_.end()) return;
    next->items.front().work();
    next->items.pop_front();
  }
}

}  // namespace lockstep
