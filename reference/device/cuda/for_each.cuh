// Runs a body once for each index on the GPU.
//
//   return ForEach(count, stream,
//                  [=] __device__(int64_t i) { y[i] = x[i] + 1; });
#ifndef LOCKSTEP_REFERENCE_DEVICE_CUDA_FOR_EACH_CUH_
#define LOCKSTEP_REFERENCE_DEVICE_CUDA_FOR_EACH_CUH_

#include <cuda_runtime_api.h>

#include <cstdint>

namespace lockstep::cuda {

inline constexpr int kThreadsPerBlock = 256;
inline constexpr int kWarpLanes = 32;
// Enough to fill any GPU; threads loop over the remaining elements.
inline constexpr int64_t kMostBlocks = 8192;

inline unsigned BlocksFor(int64_t count) {
  const int64_t blocks = (count + kThreadsPerBlock - 1) / kThreadsPerBlock;
  return static_cast<unsigned>(blocks < kMostBlocks ? blocks : kMostBlocks);
}

// Enqueues `blocks` blocks of kThreadsPerBlock threads.
template <class... Parameters, class... Arguments>
cudaError_t Launch(void (*kernel)(Parameters...), unsigned blocks,
                   cudaStream_t stream, const Arguments&... arguments) {
  kernel<<<blocks, kThreadsPerBlock, 0, stream>>>(arguments...);
  return cudaGetLastError();
}

template <class Body>
__global__ void __launch_bounds__(kThreadsPerBlock)
    ForEachKernel(int64_t count, Body body) {
  const int64_t stride = int64_t{gridDim.x} * kThreadsPerBlock;
  int64_t i = int64_t{blockIdx.x} * kThreadsPerBlock + threadIdx.x;
  for (; i < count; i += stride) body(i);
}

// Calls body(i) once for each i in [0, count), in any order. Launches nothing
// for an empty range.
template <class Body>
cudaError_t ForEach(int64_t count, cudaStream_t stream, const Body& body) {
  if (count <= 0) return cudaSuccess;
  return Launch(ForEachKernel<Body>, BlocksFor(count), stream, count, body);
}

}  // namespace lockstep::cuda

#endif  // LOCKSTEP_REFERENCE_DEVICE_CUDA_FOR_EACH_CUH_
