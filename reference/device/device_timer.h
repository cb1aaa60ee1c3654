// How long work takes on a device, by the device's clock: a training step
// between marks in the stream, or runs that are captured as one graph.
#ifndef LOCKSTEP_REFERENCE_DEVICE_DEVICE_TIMER_H_
#define LOCKSTEP_REFERENCE_DEVICE_DEVICE_TIMER_H_

#include <chrono>
#include <functional>
#include <memory>
#include <vector>

#include "reference/device/capture_session.h"
#include "reference/device/device.h"
#include "reference/device/device_kernel.h"

namespace lockstep {

// The times at which a device's stream reached points of a training step.
//
//   auto timer = gpu::MakeDeviceTimer(device, /*marks=*/2);
//   timer->Begin();                       // a row: the step begins here
//   Forward();  timer->Mark();
//   Backward(); timer->Mark();
//   ...                                   // more steps, without waiting
//   device.memory()->Synchronize();
//   timer->TakeReached()[0].seconds;      // {of Forward, of Backward}
//
// Marks are queued like other work. In a captured step they become part of the
// graph: each replay marks the same row again, and TakeReached returns the last
// replay since the call before.
//
// Errors of all: Internal if the device fails.
class DeviceTimer {
 public:
  using Clock = std::chrono::steady_clock;

  // The number of rows kept between two calls of TakeReached. Newer rows
  // replace older ones.
  static constexpr int kRows = 64;

  struct Row {
    // On the host's clock, to within microseconds; later in a process, where
    // floats are coarse, to within tens of microseconds.
    Clock::time_point start;
    std::vector<double> seconds;  // from each point to the next one
  };

  virtual ~DeviceTimer() = default;

  // Begins a row after all work that the stream has so far. REQUIRES: at most
  // kRows - 1 rows are begun in captures between two calls of TakeReached.
  virtual void Begin() = 0;
  // Marks the row's next point. REQUIRES: Begin; fewer than `marks` in the row.
  virtual void Mark() = 0;
  // The complete rows that were reached since the last call, ordered by start.
  // REQUIRES: the stream is empty, and no step is being captured.
  virtual std::vector<Row> TakeReached() = 0;
};

namespace gpu {

// A timer for the device's stream with `marks` points per row after its start.
// Waits for the stream a few times to align its clock with the host's.
inline constinit DeviceKernel<std::unique_ptr<DeviceTimer>(Device& device,
                                                           int marks)>
    MakeDeviceTimer{"DeviceTimer"};

}  // namespace gpu

// The time, on the host's clock, at which a stream reached a point.
//
// The host sees it some time later, with a cold stream much later. So there are
// several attempts, and the one with the shortest wait counts:
//
//   const ClockReading origin = ReadClock([&](int attempt) {
//     events[attempt].Record(stream);
//     stream.Synchronize();
//   });
//   origin.time;   // of events[origin.attempt], to half of origin.wait
struct ClockReading {
  using Clock = std::chrono::steady_clock;

  static constexpr int kAttempts = 5;

  int attempt = 0;
  Clock::time_point time;  // the middle of the wait
  Clock::duration wait = Clock::duration::max();
};

// `reach(attempt)` marks the attempt's point and waits for it. Its errors reach
// the caller. `now` is for tests.
inline ClockReading ReadClock(
    const std::function<void(int attempt)>& reach,
    const std::function<ClockReading::Clock::time_point()>& now =
        &ClockReading::Clock::now) {
  ClockReading best;
  for (int attempt = 0; attempt < ClockReading::kAttempts; ++attempt) {
    const auto before = now();
    reach(attempt);
    const auto wait = now() - before;
    if (wait < best.wait) best = {attempt, before + wait / 2, wait};
  }
  return best;
}

// Runs that a GPU executes one after another, like the operations of a captured
// training step: their time does not include the host's.
//
//   CapturedRuns runs(gpu, 20, [&] { kernels::Softmax(x); });
//   runs.Seconds() / 20;   // of one run
class CapturedRuns {
 public:
  // Calls `run` once, then captures `count` calls of it, which may only enqueue
  // work, and launches them once. Errors: those of capturing and of `run`.
  // REQUIRES: a GPU; tensors that `run` reads outlive this.
  CapturedRuns(Device& device, int count, const std::function<void()>& run);

  // Executes all runs, waits for them, and returns the device's time in
  // seconds.
  double Seconds();

 private:
  Device& device_;
  CapturedWork work_;
  std::unique_ptr<DeviceTimer> timer_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DEVICE_DEVICE_TIMER_H_
