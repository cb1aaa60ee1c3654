#include "third_party/cuda/add_one.h"

namespace lockstep {
namespace {

__global__ void AddOneKernel(float* data, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) data[i] += 1;
}

}  // namespace

cudaError_t AddOne(float* data, int count) {
  constexpr int kThreads = 256;
  AddOneKernel<<<(count + kThreads - 1) / kThreads, kThreads>>>(data, count);
  return cudaGetLastError();
}

}  // namespace lockstep
