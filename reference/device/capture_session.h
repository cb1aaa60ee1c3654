// Captures what threads queue on some devices, and the memory it uses.
//
//   CaptureSession session(devices);
//   {                                    // on any thread, or on several
//     PrivateMemory::Scope scope(*session.memory());
//     ... kernels, copies, fills ...     // queued, not run
//   }
//   CapturedWork work = session.Finish();
//   work.graph->Launch();                // runs it, as often as wanted
//
// The capture begins in the first device's queue, and the others' follow it: so
// queues may wait for each other within it, as the devices of an all-reduce do.
#ifndef LOCKSTEP_REFERENCE_DEVICE_CAPTURE_SESSION_H_
#define LOCKSTEP_REFERENCE_DEVICE_CAPTURE_SESSION_H_

#include <memory>
#include <mutex>
#include <shared_mutex>
#include <vector>

#include "reference/device/device.h"
#include "reference/device/graph_capture.h"
#include "reference/device/private_memory.h"

namespace lockstep {

// The graph and what it reads and writes; the graph goes first.
struct CapturedWork {
  std::shared_ptr<PrivateMemory> memory;
  std::unique_ptr<DeviceGraph> graph;
};

// Used by one thread; only the scopes may be on others.
class CaptureSession {
 public:
  // Waits until nobody else queues on or captures any of the devices, and keeps
  // others waiting until the session ends. Errors: those of the backend.
  // REQUIRES: at least one device, none of them the host's.
  explicit CaptureSession(const std::vector<Device*>& devices);
  // Throws what was captured away, unless Finish was called.
  ~CaptureSession();
  CaptureSession(const CaptureSession&) = delete;
  CaptureSession& operator=(const CaptureSession&) = delete;

  const std::shared_ptr<PrivateMemory>& memory() const { return memory_; }

  // Errors: Internal. REQUIRES: called once, when all scopes have ended.
  CapturedWork Finish();
  // Throws what was captured away; the devices run what they are given again.
  // The memory stays as long as this. REQUIRES: all scopes have ended.
  void Abandon() noexcept;

 private:
  using Turn = std::unique_lock<std::shared_mutex>;

  std::shared_ptr<PrivateMemory> memory_;
  std::vector<Turn> turns_;  // one a device
  std::unique_ptr<GraphCapture> capture_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DEVICE_CAPTURE_SESSION_H_
