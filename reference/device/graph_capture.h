// What a backend offers so that queued work can be captured once and be queued
// again and again: CUDA graphs, or a fake GPU's list of what it was given.
#ifndef LOCKSTEP_REFERENCE_DEVICE_GRAPH_CAPTURE_H_
#define LOCKSTEP_REFERENCE_DEVICE_GRAPH_CAPTURE_H_

#include <memory>

namespace lockstep {

// Captured work, with the addresses and values of its capture.
class DeviceGraph {
 public:
  virtual ~DeviceGraph() = default;

  // Queues the work on its devices: after what is queued there by now, and
  // before what will be. Errors: Internal when the launch fails; the devices
  // stay as usable as the failure leaves them.
  virtual void Launch() = 0;
};

// Until it ends, what is queued on the devices does not run.
class GraphCapture {
 public:
  // Throws what was captured away, unless End was called; the devices run what
  // they are given again.
  virtual ~GraphCapture() = default;

  // Ends the capture. Errors: Internal; the devices are usable all the same.
  virtual std::unique_ptr<DeviceGraph> End() = 0;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DEVICE_GRAPH_CAPTURE_H_
