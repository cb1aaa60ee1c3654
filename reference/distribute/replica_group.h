// The replicas of one strategy: what its contexts and variables share, and what
// says whether a variable belongs to the strategy that uses it.
#ifndef LOCKSTEP_REFERENCE_DISTRIBUTE_REPLICA_GROUP_H_
#define LOCKSTEP_REFERENCE_DISTRIBUTE_REPLICA_GROUP_H_

#include <memory>
#include <vector>

#include "reference/collectives/cross_device_ops.h"
#include "reference/device/device.h"

namespace lockstep {

struct ReplicaGroup {
  std::vector<Device*> devices;  // one a replica
  std::shared_ptr<const CrossDeviceOps> cross_device_ops;

  int size() const { return static_cast<int>(devices.size()); }
};

using ReplicaGroupPtr = std::shared_ptr<const ReplicaGroup>;

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DISTRIBUTE_REPLICA_GROUP_H_
