// Base of the tests that want a GPU.
//
// Without one they skip, and say why; where LOCKSTEP_REQUIRE_GPU=1 stands in
// the environment they fail instead.
#ifndef LOCKSTEP_REFERENCE_DEVICE_GPU_TESTING_H_
#define LOCKSTEP_REFERENCE_DEVICE_GPU_TESTING_H_

#include <gtest/gtest.h>

#include <vector>

#include "reference/device/device.h"

namespace lockstep {

class GpuTest : public testing::Test {
 protected:
  void SetUp() override;
  // Undoes DivideGpu.
  void TearDown() override;

  // GPU:0.
  Device& gpu() { return *gpu_; }
  // The first GPU of the machine as `count` logical ones.
  std::vector<Device*> DivideGpu(int count);

 private:
  Device* gpu_ = nullptr;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DEVICE_GPU_TESTING_H_
