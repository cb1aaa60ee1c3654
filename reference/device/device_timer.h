// When a device's queue reached certain points of a training step.
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
#ifndef LOCKSTEP_REFERENCE_DEVICE_DEVICE_TIMER_H_
#define LOCKSTEP_REFERENCE_DEVICE_DEVICE_TIMER_H_

#include <chrono>
#include <memory>
#include <vector>

#include "reference/device/device.h"
#include "reference/device/device_kernel.h"

namespace lockstep {

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

  // Begins a row behind all that the queue was given by now.
  virtual void Begin() = 0;
  // Marks the row's next point. REQUIRES: Begin; fewer than `marks` in the row.
  virtual void Mark() = 0;
  // Whole rows that were reached and not taken yet, by their starts.
  // REQUIRES: the queue is empty, and no step is being captured.
  virtual std::vector<Row> TakeReached() = 0;
};

namespace gpu {

// A timer of the device's queue with `marks` points a row behind its start.
// Waits for the queue a few times, to set its clock by the host's.
inline constinit DeviceKernel<std::unique_ptr<DeviceTimer>(Device& device,
                                                           int marks)>
    MakeDeviceTimer{"DeviceTimer"};

}  // namespace gpu
}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DEVICE_DEVICE_TIMER_H_
