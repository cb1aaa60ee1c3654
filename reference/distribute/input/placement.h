// Where the parts of a step go.
#ifndef LOCKSTEP_REFERENCE_DISTRIBUTE_INPUT_PLACEMENT_H_
#define LOCKSTEP_REFERENCE_DISTRIBUTE_INPUT_PLACEMENT_H_

#include <algorithm>
#include <utility>
#include <vector>

#include "reference/device/device.h"
#include "reference/tensor/nest.h"

namespace lockstep::distribute_internal {

class Placement {
 public:
  // REQUIRES: at least one device; they outlive the placement.
  Placement(std::vector<Device*> devices, bool fetch_to_device)
      : devices_(std::move(devices)), fetch_to_device_(fetch_to_device) {}

  int replicas() const { return static_cast<int>(devices_.size()); }
  Device& device(int replica) const { return *devices_[replica]; }

  // The element on the replica's device, or as it is without fetch_to_device.
  Structure Place(Structure element, int replica) const {
    if (!fetch_to_device_) return element;
    if (element.is_leaf()) {
      element.leaf() = element.leaf().To(device(replica));
      return element;
    }
    return element.Map<Tensor>(
        [&](const Tensor& leaf) { return leaf.To(device(replica)); });
  }

  // Placing copies nothing.
  bool is_light() const {
    return !fetch_to_device_ ||
           std::ranges::all_of(devices_, [](const Device* device) {
             return device->kind() == DeviceKind::kCpu;
           });
  }

 private:
  std::vector<Device*> devices_;
  bool fetch_to_device_;
};

}  // namespace lockstep::distribute_internal

#endif  // LOCKSTEP_REFERENCE_DISTRIBUTE_INPUT_PLACEMENT_H_
