// Where the parts of a step go.
#ifndef LOCKSTEP_REFERENCE_DISTRIBUTE_INPUT_PLACEMENT_H_
#define LOCKSTEP_REFERENCE_DISTRIBUTE_INPUT_PLACEMENT_H_

#include <memory>
#include <vector>

#include "reference/device/device.h"
#include "reference/device/device_queues.h"
#include "reference/distribute/input/copy_ring.h"
#include "reference/tensor/nest.h"

namespace lockstep::distribute_internal {

// One a replica; nullptr where its device is in the host's memory.
using CopyMarks = std::vector<std::unique_ptr<DeviceQueues::Mark>>;

// Copies of a placement share its memory on GPUs, which thus serves all passes.
class Placement {
 public:
  // REQUIRES: at least one device; they outlive the placement.
  Placement(std::vector<Device*> devices, bool fetch_to_device);

  int replicas() const { return static_cast<int>(devices_.size()); }
  Device& device(int replica) const { return *devices_[replica]; }

  // The element on the replica's device, or as it is without fetch_to_device.
  // What comes from the host to a GPU may be used there when it is delivered.
  Structure Place(Structure element, int replica) const;

  // Placing copies nothing.
  bool is_light() const;
  // What is placed must be delivered.
  bool copies() const;

  // Behind what was placed so far.
  CopyMarks MarkCopies() const;
  // What the devices compute from now on may use what was placed before.
  void Deliver(const CopyMarks& copied) const;

 private:
  Tensor PlaceTensor(const Tensor& tensor, int replica) const;

  std::vector<Device*> devices_;
  bool fetch_to_device_;
  std::vector<std::shared_ptr<CopyRing>> rings_;  // nullptr as for CopyMarks
};

}  // namespace lockstep::distribute_internal

#endif  // LOCKSTEP_REFERENCE_DISTRIBUTE_INPUT_PLACEMENT_H_
