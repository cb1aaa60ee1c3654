// A row of runs that a GPU does one behind the other, as it does the operations
// of a training step that is a graph: its time has nothing of the host's.
//
//   CapturedRuns runs(gpu, 20, [&] { kernels::Softmax(x); });
//   runs.Seconds() / 20;   // of one
#ifndef LOCKSTEP_REFERENCE_DEVICE_CAPTURED_RUNS_H_
#define LOCKSTEP_REFERENCE_DEVICE_CAPTURED_RUNS_H_

#include <functional>
#include <memory>

#include "reference/device/capture_session.h"
#include "reference/device/device.h"
#include "reference/device/device_timer.h"

namespace lockstep {

class CapturedRuns {
 public:
  // Runs once as it is, then captures `count` calls of `run`, which may only
  // queue, and does them once.
  // Errors: those of capturing and of `run`. REQUIRES: a GPU; tensors that `run`
  // reads and did not make live as long as this.
  CapturedRuns(Device& device, int count, const std::function<void()>& run);

  // Does all runs, and gives the seconds that the device took; waits for it.
  double Seconds();

 private:
  Device& device_;
  CapturedWork work_;
  std::unique_ptr<DeviceTimer> timer_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DEVICE_CAPTURED_RUNS_H_
