#include "reference/device/device_timer.h"

#include <vector>

#include "reference/base/check.h"

namespace lockstep {
namespace {

CapturedWork Capture(Device& device, int count,
                     const std::function<void()>& run) {
  run();  // loads kernels and does other work of a first call
  CaptureSession session({&device});
  {
    const PrivateMemory::Scope scope(*session.memory());
    for (int i = 0; i < count; ++i) run();
  }
  return session.Finish();
}

}  // namespace

CapturedRuns::CapturedRuns(Device& device, int count,
                           const std::function<void()>& run)
    : device_(device),
      work_(Capture(device, count, run)),
      timer_(gpu::MakeDeviceTimer(device, /*marks=*/1)) {
  work_.graph->Launch();
  device_.memory()->Synchronize();
}

double CapturedRuns::Seconds() {
  // The first launch keeps the device busy while the host enqueues the second.
  // In an idle stream the time between two marks would include the host's.
  work_.graph->Launch();
  timer_->Begin();
  work_.graph->Launch();
  timer_->Mark();
  device_.memory()->Synchronize();
  const std::vector<DeviceTimer::Row> rows = timer_->TakeReached();
  LOCKSTEP_CHECK(rows.size() == 1);
  return rows[0].seconds[0];
}

}  // namespace lockstep
