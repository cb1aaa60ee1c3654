// How long the work of a device takes, by the clock of the device: a training
// step between marks in the stream, and runs that are captured as one graph.
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

// When a device's stream reached certain points of a training step.
//
//   auto timer = gpu::MakeDeviceTimer(device, /*marks=*/2);
//   timer->Begin();                       // a row: here a step begins
//   Forward();  timer->Mark();
//   Backward(); timer->Mark();
//   ...                                   // more steps, nobody waits
//   device.memory()->Synchronize();
//   timer->TakeReached()[0].seconds;      // {of Forward, of Backward}
//
// Marks are queued as work is. Within a step that is captured to be replayed
// they become part of it: each replay then marks the same row again, and of the
// replays between two calls of TakeReached the last one is seen.
//
// Errors of all: Internal, when the device fails.
class DeviceTimer {
 public:
  using Clock = std::chrono::steady_clock;

  // Rows between two calls of TakeReached of which none is lost; older ones
  // make room for newer ones.
  static constexpr int kRows = 64;

  struct Row {
    // As the host's clock counts, to some microseconds; later in a process,
    // where floats are coarse, to some tens.
    Clock::time_point start;
    std::vector<double> seconds;  // from each point to the next one
  };

  virtual ~DeviceTimer() = default;

  // Begins a row behind all that the stream was given by now.
  virtual void Begin() = 0;
  // Marks the row's next point. REQUIRES: Begin; fewer than `marks` in the row.
  virtual void Mark() = 0;
  // Whole rows that were reached and not taken yet, by their starts.
  // REQUIRES: the stream is empty, and no step is being captured.
  virtual std::vector<Row> TakeReached() = 0;
};

namespace gpu {

// A timer of the device's stream with `marks` points a row behind its start.
// Waits for the stream a few times, to set its clock by the host's.
inline constinit DeviceKernel<std::unique_ptr<DeviceTimer>(Device& device,
                                                           int marks)>
    MakeDeviceTimer{"DeviceTimer"};

}  // namespace gpu

// When, by the host's clock, a stream reached a point that the host waited for.
//
// The host sees it some time later, and at a cold stream much later. So it is
// tried a few times, and that time counts which the host waited least for:
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
  Clock::time_point time;  // in the middle of the wait
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

// A row of runs that a GPU does one behind the other, as it does the operations
// of a training step that is a graph: its time has nothing of the host's.
//
//   CapturedRuns runs(gpu, 20, [&] { kernels::Softmax(x); });
//   runs.Seconds() / 20;   // of one
class CapturedRuns {
 public:
  // Runs once as it is, then captures `count` calls of `run`, which may only
  // stream, and does them once.
  // Errors: those of capturing and of `run`. REQUIRES: a GPU; tensors that
  // `run` reads and did not make live as long as this.
  CapturedRuns(Device& device, int count, const std::function<void()>& run);

  // Does all runs, and gives the seconds that the device took; waits for it.
  double Seconds();

 private:
  Device& device_;
  CapturedWork work_;
  std::unique_ptr<DeviceTimer> timer_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DEVICE_DEVICE_TIMER_H_
