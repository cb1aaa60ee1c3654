// A warp that works on one row: each lane takes every 32nd element.
#ifndef LOCKSTEP_REFERENCE_KERNELS_CUDA_WARP_CUH_
#define LOCKSTEP_REFERENCE_KERNELS_CUDA_WARP_CUH_

#include <cmath>
#include <cstdint>

#include "reference/device/cuda/for_each.cuh"

namespace lockstep::cuda {

inline constexpr int kLanes = 32;

// The same sum in every lane, added up in a fixed order.
__device__ inline double WarpSum(double value) {
  for (int step = kLanes / 2; step > 0; step /= 2) {
    value += __shfl_xor_sync(0xffffffff, value, step);
  }
  return value;
}

// The largest in every lane; a NaN may be passed over.
template <typename T>
__device__ T WarpMax(T value) {
  for (int step = kLanes / 2; step > 0; step /= 2) {
    const T other = __shfl_xor_sync(0xffffffff, value, step);
    if (other > value) value = other;
  }
  return value;
}

// Writes the softmax of one row and gives log(sum(exp(x))); softmax_row.h is the
// host's. A NaN anywhere makes the whole row NaN. REQUIRES: columns >= 1.
template <typename T>
__device__ double SoftmaxRow(const T* x, T* y, int64_t columns, int lane) {
  T top = x[0];
  for (int64_t i = lane; i < columns; i += kLanes) {
    if (x[i] > top) top = x[i];
  }
  top = WarpMax(top);
  double sum = 0;
  for (int64_t i = lane; i < columns; i += kLanes) {
    const T e = std::exp(x[i] - top);
    y[i] = e;
    sum += e;
  }
  sum = WarpSum(sum);
  const T scale = static_cast<T>(1 / sum);
  for (int64_t i = lane; i < columns; i += kLanes) y[i] *= scale;
  return static_cast<double>(top) + std::log(sum);
}

template <class Body>
__global__ void __launch_bounds__(kThreadsPerBlock)
    ForEachRowKernel(int64_t rows, Body body) {
  constexpr int kWarps = kThreadsPerBlock / kLanes;
  const int warp = static_cast<int>(threadIdx.x) / kLanes;
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const int64_t step = int64_t{gridDim.x} * kWarps;
  for (int64_t row = int64_t{blockIdx.x} * kWarps + warp; row < rows;
       row += step) {
    body(row, lane);
  }
}

// Calls body(row, lane) with the 32 lanes of a warp for each row.
template <class Body>
cudaError_t ForEachRow(int64_t rows, cudaStream_t stream, const Body& body) {
  if (rows <= 0) return cudaSuccess;
  return Launch(ForEachRowKernel<Body>, BlocksFor(rows * kLanes), stream, rows,
                body);
}

}  // namespace lockstep::cuda

#endif  // LOCKSTEP_REFERENCE_KERNELS_CUDA_WARP_CUH_
