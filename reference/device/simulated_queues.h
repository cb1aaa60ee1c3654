// Queues of a device for tests: they run on the host what they are given, each
// as far as it can.
//
//   SimulatedQueues queues;
//   queues.Hold(DeviceQueue::kCompute);
//   queues.Submit(DeviceQueue::kCompute, "kernel", [] { ... });   // not run yet
//   queues.Release(DeviceQueue::kCompute);                        // run
//   queues.log();                            // {"compute: kernel"}
#ifndef LOCKSTEP_REFERENCE_DEVICE_SIMULATED_QUEUES_H_
#define LOCKSTEP_REFERENCE_DEVICE_SIMULATED_QUEUES_H_

#include <array>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "reference/device/device_queues.h"

namespace lockstep {

class SimulatedQueues final : public DeviceQueues {
 public:
  // Where the host may touch the device's address.
  using View = std::function<std::byte*(void* device_pointer)>;

  explicit SimulatedQueues(View view = [](void* pointer) {
    return static_cast<std::byte*>(pointer);
  });

  // From now on the queue runs nothing.
  void Hold(DeviceQueue queue);
  void Release(DeviceQueue queue);

  // `work` must not use the queues.
  void Submit(DeviceQueue queue, const std::string& name,
              std::function<void()> work);

  // What was given, in that order: "copy: 8 bytes", "compute waits for copy".
  std::vector<std::string> log() const;

  std::unique_ptr<Mark> Record(DeviceQueue queue) override;
  void WaitFor(DeviceQueue queue, const Mark& mark) override;
  void CopyFromHost(void* to, const void* from, size_t bytes) override;

 private:
  struct PlaceReached {
    bool reached = false;
  };
  struct SimulatedMark;
  struct Item {
    std::function<void()> work;
    std::shared_ptr<const PlaceReached> awaited;  // nullptr: nothing
  };
  struct Queue {
    bool held = false;
    std::deque<Item> items;
  };

  void Give(DeviceQueue queue, Item item);
  void RunWhatCan();

  const View view_;
  mutable std::mutex mutex_;
  std::array<Queue, 3> queues_;
  std::vector<std::string> log_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DEVICE_SIMULATED_QUEUES_H_
