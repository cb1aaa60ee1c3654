// For tests: compares reductions on GPUs with the host's.
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_CUDA_COLLECTIVES_GPU_TESTING_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_CUDA_COLLECTIVES_GPU_TESTING_H_

#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "reference/collectives/collectives_testing.h"
#include "reference/device/device.h"
#include "reference/tensor/tensor.h"

namespace lockstep {

// `Base` is the GPU fixture to build on.
template <class Base>
class CollectivesGpuFixture : public Base {
 protected:
  // The list of a rank, on its device.
  using MakeList = std::function<std::vector<Tensor>(int, Device&)>;
  using Lists = std::vector<std::vector<Tensor>>;

  static Lists MakeLists(const std::vector<Device*>& devices,
                         const MakeList& make) {
    Lists lists;
    for (Device* device : devices) {
      lists.push_back(make(static_cast<int>(lists.size()), *device));
    }
    return lists;
  }

  // Expects that `ops` gives the same bits on these devices as on the host.
  static void ExpectHostsBits(const CrossDeviceOpsPtr& ops, ReduceOp op,
                              const std::vector<Device*>& devices,
                              const MakeList& make) {
    const std::vector<Device*> hosts(devices.size(), &Device::Host());
    const Lists sums = AllReduceTogether(ops, op, MakeLists(devices, make));
    const Lists wanted = AllReduceTogether(ops, op, MakeLists(hosts, make));
    for (size_t r = 0; r < devices.size(); ++r) {
      for (size_t i = 0; i < wanted[r].size(); ++i) {
        ASSERT_EQ(&sums[r][i].device(), devices[r]);
        ASSERT_TRUE(BitwiseEqual(sums[r][i], wanted[r][i]))
            << ops->name() << ", rank " << r << ", tensor " << i;
      }
    }
  }
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_CUDA_COLLECTIVES_GPU_TESTING_H_
