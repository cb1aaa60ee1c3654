// Base class of tests that need a GPU.
//
// Without enough GPUs they are skipped with the reason, or fail if
// LOCKSTEP_REQUIRE_GPU=1 is set.
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

// Base class of tests that need two or more GPUs.
class MultiGpuTest : public GpuTest {
 protected:
  void SetUp() override;

  // All GPUs of the machine.
  const std::vector<Device*>& gpus() const { return gpus_; }

 private:
  std::vector<Device*> gpus_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DEVICE_GPU_TESTING_H_
