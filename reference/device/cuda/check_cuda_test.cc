#include "reference/device/cuda/check_cuda.h"

#include <gtest/gtest.h>

#include "reference/base/error.h"

namespace lockstep {
namespace {

Error ErrorOf(cudaError_t status) {
  try {
    CheckCuda(status, "[Step] GPU:0");
  } catch (const Error& error) {
    return error;
  }
  return Error(Code::kOutOfRange, "nothing was thrown");
}

TEST(CheckCudaTest, SuccessIsSilent) { CheckCuda(cudaSuccess, "[Step] GPU:0"); }

TEST(CheckCudaTest, OutOfMemoryIsResourceExhausted) {
  const Error error = ErrorOf(cudaErrorMemoryAllocation);
  EXPECT_EQ(error.code(), Code::kResourceExhausted);
  EXPECT_STREQ(error.what(),
               "[Step] GPU:0: cudaErrorMemoryAllocation: out of memory");
}

TEST(CheckCudaTest, OtherErrorsAreInternal) {
  const Error error = ErrorOf(cudaErrorIllegalAddress);
  EXPECT_EQ(error.code(), Code::kInternal);
  EXPECT_STREQ(error.what(),
               "[Step] GPU:0: cudaErrorIllegalAddress: an illegal memory "
               "access was encountered");
}

}  // namespace
}  // namespace lockstep

namespace lockstep::device_internal {
namespace {

TEST(WhyNoGpuTest, MissingDriver) {
  EXPECT_EQ(
      WhyNoGpu(cudaErrorInsufficientDriver, 0)
          .find("no CUDA device: there is no NVIDIA driver, or one too old for "
                "CUDA 1"),
      0u);
}

TEST(WhyNoGpuTest, NoDevice) {
  const char* wanted =
      "no CUDA device: the driver shows none; see nvidia-smi and "
      "CUDA_VISIBLE_DEVICES";
  EXPECT_EQ(WhyNoGpu(cudaErrorNoDevice, 0), wanted);
  EXPECT_EQ(WhyNoGpu(cudaSuccess, 0), wanted);
}

TEST(WhyNoGpuTest, OtherErrorsAreNamed) {
  EXPECT_EQ(WhyNoGpu(cudaErrorECCUncorrectable, 0),
            "no CUDA device: cudaErrorECCUncorrectable: uncorrectable ECC "
            "error encountered");
}

TEST(WhyNoGpuTest, StatesTheNumberOfGpus) {
  EXPECT_EQ(WhyNoGpu(cudaSuccess, 1),
            "this machine has 1 CUDA device; SetLogicalGpuDevices divides one");
  EXPECT_EQ(
      WhyNoGpu(cudaSuccess, 8),
      "this machine has 8 CUDA devices; SetLogicalGpuDevices divides one");
}

}  // namespace
}  // namespace lockstep::device_internal
