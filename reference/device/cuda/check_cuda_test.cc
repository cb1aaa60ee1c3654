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

TEST(CheckCudaTest, ALackOfMemoryIsResourceExhausted) {
  const Error error = ErrorOf(cudaErrorMemoryAllocation);
  EXPECT_EQ(error.code(), Code::kResourceExhausted);
  EXPECT_STREQ(error.what(),
               "[Step] GPU:0: cudaErrorMemoryAllocation: out of memory");
}

TEST(CheckCudaTest, AnythingElseIsInternal) {
  const Error error = ErrorOf(cudaErrorIllegalAddress);
  EXPECT_EQ(error.code(), Code::kInternal);
  EXPECT_STREQ(error.what(),
               "[Step] GPU:0: cudaErrorIllegalAddress: an illegal memory "
               "access was encountered");
}

}  // namespace
}  // namespace lockstep
