// Sums over the threads of a block, in an order that never changes.
//
//   BlockSum(mine);                                     // one number a thread
//   BlockSumOf(begin, end, [=](int64_t i) { return x[i]; });   // many
#ifndef LOCKSTEP_REFERENCE_KERNELS_CUDA_BLOCK_SUM_CUH_
#define LOCKSTEP_REFERENCE_KERNELS_CUDA_BLOCK_SUM_CUH_

#include "reference/device/cuda/for_each.cuh"

namespace lockstep::cuda {

// Every thread gets the sum. REQUIRES: all threads of the block call it.
template <typename T>
__device__ T BlockSum(T value) {
  __shared__ T lanes[kThreadsPerBlock];
  const int lane = static_cast<int>(threadIdx.x);
  lanes[lane] = value;
  __syncthreads();
  for (int half = kThreadsPerBlock / 2; half > 0; half /= 2) {
    if (lane < half) lanes[lane] += lanes[lane + half];
    __syncthreads();
  }
  const T sum = lanes[0];
  __syncthreads();  // lanes may be written again
  return sum;
}

// The sum of term(i) for begin <= i < end, of which the threads take turns.
// Every thread gets it. REQUIRES: as above.
template <class Term>
__device__ auto BlockSumOf(int64_t begin, int64_t end, const Term& term) {
  decltype(term(begin)) sum = 0;
  for (int64_t i = begin + threadIdx.x; i < end; i += kThreadsPerBlock) {
    sum += term(i);
  }
  return BlockSum(sum);
}

}  // namespace lockstep::cuda

#endif  // LOCKSTEP_REFERENCE_KERNELS_CUDA_BLOCK_SUM_CUH_
