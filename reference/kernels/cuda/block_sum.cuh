// Adds up a number of each of a block's threads, in an order that never
// changes.
#ifndef LOCKSTEP_REFERENCE_KERNELS_CUDA_BLOCK_SUM_CUH_
#define LOCKSTEP_REFERENCE_KERNELS_CUDA_BLOCK_SUM_CUH_

#include "reference/device/cuda/for_each.cuh"

namespace lockstep::cuda {

// Every thread gets the sum. REQUIRES: all threads of the block call it.
__device__ inline double BlockSum(double value) {
  __shared__ double lanes[kThreadsPerBlock];
  const int lane = static_cast<int>(threadIdx.x);
  lanes[lane] = value;
  __syncthreads();
  for (int half = kThreadsPerBlock / 2; half > 0; half /= 2) {
    if (lane < half) lanes[lane] += lanes[lane + half];
    __syncthreads();
  }
  const double sum = lanes[0];
  __syncthreads();  // lanes may be written again
  return sum;
}

}  // namespace lockstep::cuda

#endif  // LOCKSTEP_REFERENCE_KERNELS_CUDA_BLOCK_SUM_CUH_
