// A GPU's threads as threads of the host, so that our kernels run, and are
// tested, on machines without a GPU.
//
// Included in front of every other line of the sources that are built so: it
// stands in for for_each.cuh and cuda_memory.h, whose include guards it takes.
// A block has fewer threads and a launch fewer blocks than on a GPU, and so
// each of them goes around more often.
#ifndef LOCKSTEP_REFERENCE_KERNELS_CUDA_EMULATED_GPU_H_
#define LOCKSTEP_REFERENCE_KERNELS_CUDA_EMULATED_GPU_H_

#define LOCKSTEP_REFERENCE_DEVICE_CUDA_FOR_EACH_CUH_
#define LOCKSTEP_REFERENCE_DEVICE_CUDA_CUDA_MEMORY_H_

#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <barrier>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "reference/device/device.h"
#include "reference/device/fake_gpu.h"

// What nvcc knows and g++ does not. The blocks of a launch run one behind the
// other, so what a block's threads share may be static.
#undef __launch_bounds__
#undef __grid_constant__
#undef __shared__
#define __launch_bounds__(threads)
#define __grid_constant__
#define __shared__ static

namespace lockstep {

// A stream is a fake GPU's queue, which may keep launches for a graph.
inline cudaStream_t StreamOf(const Device& device) {
  return reinterpret_cast<cudaStream_t>(&FakeGpu::QueueOf(device));
}
inline FakeQueue& QueueOf(cudaStream_t stream) {
  return *reinterpret_cast<FakeQueue*>(stream);
}

namespace cuda {

using std::min;
using std::nan;

inline constexpr int kThreadsPerBlock = 64;
inline constexpr int64_t kMostBlocks = 3;
inline constexpr int kWarpLanes = 32;

struct Index {
  unsigned x = 0;
};
inline thread_local Index threadIdx;
inline thread_local Index blockIdx;
inline Index gridDim;

// The block that runs now.
struct EmulatedBlock {
  std::barrier<> threads{kThreadsPerBlock};
  struct Warp {
    std::barrier<> lanes{kWarpLanes};
    std::array<uint64_t, kWarpLanes> values;
  };
  std::array<Warp, kThreadsPerBlock / kWarpLanes> warps;
};
inline EmulatedBlock emulated_block;

inline void __syncthreads() { emulated_block.threads.arrive_and_wait(); }

template <typename T>
T __shfl_xor_sync(unsigned, T value, int step) {
  static_assert(sizeof(T) <= sizeof(uint64_t));
  EmulatedBlock::Warp& warp = emulated_block.warps[threadIdx.x / kWarpLanes];
  const unsigned lane = threadIdx.x % kWarpLanes;
  std::memcpy(&warp.values[lane], &value, sizeof(T));
  warp.lanes.arrive_and_wait();
  T other;
  std::memcpy(&other, &warp.values[lane ^ static_cast<unsigned>(step)],
              sizeof(T));
  warp.lanes.arrive_and_wait();  // all have read
  return other;
}

inline unsigned BlocksFor(int64_t count) {
  const int64_t blocks = (count + kThreadsPerBlock - 1) / kThreadsPerBlock;
  return static_cast<unsigned>(std::min(blocks, kMostBlocks));
}

// There is one emulated GPU's worth of threads, whatever the number of GPUs.
inline std::mutex emulated_threads;

// The next block begins when all threads are through with the one before.
template <class... Parameters, class... Arguments>
void RunBlocks(void (*kernel)(Parameters...), unsigned blocks,
               const Arguments&... arguments) {
  std::lock_guard lock(emulated_threads);
  gridDim.x = blocks;
  std::vector<std::jthread> threads;
  for (unsigned thread = 0; thread < kThreadsPerBlock; ++thread) {
    threads.emplace_back([&, thread] {
      threadIdx.x = thread;
      for (blockIdx.x = 0; blockIdx.x < blocks; ++blockIdx.x) {
        kernel(arguments...);
        __syncthreads();
      }
    });
  }
}

template <class... Parameters, class... Arguments>
cudaError_t Launch(void (*kernel)(Parameters...), unsigned blocks,
                   cudaStream_t stream, const Arguments&... arguments) {
  QueueOf(stream).Submit([=] { RunBlocks(kernel, blocks, arguments...); });
  return cudaSuccess;
}

template <class Body>
cudaError_t ForEach(int64_t count, cudaStream_t stream, const Body& body) {
  QueueOf(stream).Submit([=] {
    for (int64_t i = 0; i < count; ++i) body(i);
  });
  return cudaSuccess;
}

}  // namespace cuda
}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_KERNELS_CUDA_EMULATED_GPU_H_
