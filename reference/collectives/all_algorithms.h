// Every algorithm there is, for tests that hold for each.
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_ALL_ALGORITHMS_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_ALL_ALGORITHMS_H_

#include <memory>
#include <vector>

#include "reference/collectives/cross_device_ops.h"
#include "reference/collectives/hierarchical_copy_all_reduce.h"
#include "reference/collectives/reduction_to_one_device.h"
#include "reference/collectives/shared_memory_all_reduce.h"

namespace lockstep {

inline std::vector<std::unique_ptr<CrossDeviceOps>> AllAlgorithms() {
  std::vector<std::unique_ptr<CrossDeviceOps>> all;
  all.push_back(std::make_unique<SharedMemoryAllReduce>());
  all.push_back(std::make_unique<ReductionToOneDevice>());
  all.push_back(std::make_unique<HierarchicalCopyAllReduce>());
  return all;
}

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_ALL_ALGORITHMS_H_
