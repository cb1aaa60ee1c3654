// Timers of GPUs for tests on machines without one.
#ifndef LOCKSTEP_BENCHMARKS_MEASUREMENT_FAKE_TIMERS_H_
#define LOCKSTEP_BENCHMARKS_MEASUREMENT_FAKE_TIMERS_H_

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "reference/device/device_timer.h"
#include "reference/device/kernel_scope.h"

namespace lockstep {

// Remembers its marks; step s since the last take starts at second s of the
// clock, and its phase i takes s + i / 8 seconds.
class FakeTimer final : public DeviceTimer {
 public:
  explicit FakeTimer(int marks) : marks_(marks) {}

  void Begin() override {
    rows_.push_back(
        {Clock::time_point(std::chrono::seconds(rows_.size())), {}});
  }
  void Mark() override {
    Row& row = rows_.back();
    row.seconds.push_back(static_cast<double>(rows_.size() - 1) +
                          static_cast<double>(row.seconds.size()) / 8);
    ASSERT_LE(row.seconds.size(), static_cast<size_t>(marks_));
  }
  std::vector<Row> TakeReached() override { return std::exchange(rows_, {}); }

 private:
  const int marks_;
  std::vector<Row> rows_;
};

// GPUs have fake timers while it lives.
class FakeTimers {
 public:
  FakeTimers()
      : scope_(gpu::MakeDeviceTimer,
               [](Device&, int marks) -> std::unique_ptr<DeviceTimer> {
                 return std::make_unique<FakeTimer>(marks);
               }) {}

 private:
  const KernelScope<std::unique_ptr<DeviceTimer>(Device&, int)> scope_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_BENCHMARKS_MEASUREMENT_FAKE_TIMERS_H_
