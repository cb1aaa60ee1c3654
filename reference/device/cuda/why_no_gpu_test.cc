#include "reference/device/cuda/why_no_gpu.h"

#include <gtest/gtest.h>

namespace lockstep::device_internal {
namespace {

TEST(WhyNoGpuTest, WithoutADriverOneIsToBeInstalled) {
  EXPECT_EQ(
      WhyNoGpu(cudaErrorInsufficientDriver, 0)
          .find("no CUDA device: there is no NVIDIA driver, or one too old for "
                "CUDA 1"),
      0u);
}

TEST(WhyNoGpuTest, WithoutADeviceTheDriverIsToBeAsked) {
  const char* wanted =
      "no CUDA device: the driver shows none; see nvidia-smi and "
      "CUDA_VISIBLE_DEVICES";
  EXPECT_EQ(WhyNoGpu(cudaErrorNoDevice, 0), wanted);
  EXPECT_EQ(WhyNoGpu(cudaSuccess, 0), wanted);
}

TEST(WhyNoGpuTest, AnotherErrorIsNamed) {
  EXPECT_EQ(WhyNoGpu(cudaErrorECCUncorrectable, 0),
            "no CUDA device: cudaErrorECCUncorrectable: uncorrectable ECC "
            "error encountered");
}

TEST(WhyNoGpuTest, WhereThereAreSomeTheirNumberIsTold) {
  EXPECT_EQ(WhyNoGpu(cudaSuccess, 1),
            "this machine has 1 CUDA device; SetLogicalGpuDevices divides one");
  EXPECT_EQ(
      WhyNoGpu(cudaSuccess, 8),
      "this machine has 8 CUDA devices; SetLogicalGpuDevices divides one");
}

}  // namespace
}  // namespace lockstep::device_internal
