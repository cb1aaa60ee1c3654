// What the rule cuda_library makes can be linked and called, with a GPU and
// without one.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string_view>
#include <vector>

#include "third_party/cuda/add_one.h"

namespace lockstep {
namespace {

bool HasGpu() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
}

TEST(CudaLibraryTest, WithoutAGpuALaunchIsAnErrorThatCanBeRead) {
  if (HasGpu()) GTEST_SKIP() << "there is a GPU";
  const cudaError_t error = AddOne(nullptr, 1);
  EXPECT_TRUE(error == cudaErrorNoDevice ||
              error == cudaErrorInsufficientDriver)
      << cudaGetErrorString(error);
}

TEST(CudaLibraryTest, TheKernelRunsOnAGpu) {
  const char* required = std::getenv("LOCKSTEP_REQUIRE_GPU");
  if (!HasGpu()) {
    ASSERT_FALSE(required && std::string_view(required) == "1") << "no GPU";
    GTEST_SKIP() << "no GPU";
  }
  std::vector<float> values(1000, 2);
  const size_t bytes = values.size() * sizeof(float);
  void* memory = nullptr;
  ASSERT_EQ(cudaMalloc(&memory, bytes), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(memory, values.data(), bytes, cudaMemcpyHostToDevice),
            cudaSuccess);
  ASSERT_EQ(AddOne(static_cast<float*>(memory), 999), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(values.data(), memory, bytes, cudaMemcpyDeviceToHost),
            cudaSuccess);
  EXPECT_EQ(cudaFree(memory), cudaSuccess);
  std::vector<float> wanted(1000, 3);
  wanted.back() = 2;
  EXPECT_EQ(values, wanted);
}

}  // namespace
}  // namespace lockstep
