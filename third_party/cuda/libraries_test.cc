// Each CUDA library is there, links, and answers on a machine without a GPU.
#include <cublasLt.h>
#include <cuda_runtime_api.h>
#include <cudnn.h>
#include <gtest/gtest.h>
#include <nccl.h>

namespace {

TEST(CudaLibrariesTest, TheRuntimeAnswersWithAndWithoutADevice) {
  int count = -1;
  const cudaError_t error = cudaGetDeviceCount(&count);
  EXPECT_TRUE(error == cudaSuccess || error == cudaErrorNoDevice ||
              error == cudaErrorInsufficientDriver)
      << cudaGetErrorString(error);
}

TEST(CudaLibrariesTest, CudnnIsTheVersionOfItsHeader) {
  EXPECT_EQ(cudnnGetVersion(), static_cast<size_t>(CUDNN_VERSION));
}

TEST(CudaLibrariesTest, CublasLtHasAVersion) {
  EXPECT_EQ(cublasLtGetVersion(), static_cast<size_t>(CUBLAS_VERSION));
}

TEST(CudaLibrariesTest, NcclIsTheVersionOfItsHeader) {
  int version = 0;
  EXPECT_EQ(ncclGetVersion(&version), ncclSuccess);
  EXPECT_EQ(version, NCCL_VERSION_CODE);
}

}  // namespace
