// Replaces a kernel by another function, for tests.
//
//   const KernelScope scope(gpu::Relu, &MyRelu);   // while it lives
#ifndef LOCKSTEP_REFERENCE_DEVICE_KERNEL_SCOPE_H_
#define LOCKSTEP_REFERENCE_DEVICE_KERNEL_SCOPE_H_

#include <memory>
#include <utility>
#include <vector>

#include "reference/device/device_kernel.h"
#include "reference/device/device_timer.h"

namespace lockstep {

// The destructor restores the previous function.
template <typename Signature>
class KernelScope {
 public:
  using Function = typename DeviceKernel<Signature>::Function;

  KernelScope(DeviceKernel<Signature>& kernel, Function function)
      : kernel_(kernel), previous_(kernel.Set(function)) {}
  ~KernelScope() { kernel_.Set(previous_); }
  KernelScope(const KernelScope&) = delete;
  KernelScope& operator=(const KernelScope&) = delete;

 private:
  DeviceKernel<Signature>& kernel_;
  const Function previous_;
};

// Timers for tests whose clock is advanced by the work of a fake GPU.
//
//   CountingTimers timers;
//   FakeGpu::StreamOf(gpu.device()).Submit([&] { timers.Count(2); });  // 2 s
//
// Replaces the timers of GPUs while it lives. REQUIRES: one at a time.
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
  // The total of all calls of Count.
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

#endif  // LOCKSTEP_REFERENCE_DEVICE_KERNEL_SCOPE_H_
