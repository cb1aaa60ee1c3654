// Timers for tests whose seconds are what work on a fake GPU counted.
//
//   CountingTimers timers;
//   FakeGpu::QueueOf(gpu.device()).Submit([&] { timers.Count(2); });  // 2 s
#ifndef LOCKSTEP_REFERENCE_DEVICE_COUNTING_TIMERS_H_
#define LOCKSTEP_REFERENCE_DEVICE_COUNTING_TIMERS_H_

#include <memory>
#include <utility>
#include <vector>

#include "reference/device/device_timer.h"
#include "reference/device/kernel_scope.h"

namespace lockstep {

// GPUs have such timers while it lives. REQUIRES: one at a time.
class CountingTimers {
 public:
  CountingTimers()
      : scope_(gpu::MakeDeviceTimer,
               [](Device&, int) -> std::unique_ptr<DeviceTimer> {
                 return std::make_unique<Timer>();
               }) {
    total = 0;
  }

  void Count(double seconds) { total += seconds; }
  // Of all that was counted.
  double counted() const { return total; }

 private:
  class Timer final : public DeviceTimer {
   public:
    void Begin() override { begin_ = total; }
    void Mark() override { rows_.push_back({{}, {total - begin_}}); }
    std::vector<Row> TakeReached() override { return std::exchange(rows_, {}); }

   private:
    double begin_ = 0;
    std::vector<Row> rows_;
  };

  static inline double total = 0;
  const KernelScope<std::unique_ptr<DeviceTimer>(Device&, int)> scope_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DEVICE_COUNTING_TIMERS_H_
