// Emulates a GPU's threads by threads of the host, to test our kernels on
// machines without a GPU.
//
// The compiler includes it before the first line of such a source. It replaces
// for_each.cuh and cuda_memory.h by defining their include guards. Blocks have
// fewer threads and launches fewer blocks than on a GPU, so that kernels' loops
// run more often.
#ifndef LOCKSTEP_REFERENCE_KERNELS_EMULATION_EMULATED_GPU_H_
#define LOCKSTEP_REFERENCE_KERNELS_EMULATION_EMULATED_GPU_H_

#define LOCKSTEP_REFERENCE_DEVICE_CUDA_FOR_EACH_CUH_
#define LOCKSTEP_REFERENCE_DEVICE_CUDA_CUDA_MEMORY_H_

#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <barrier>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "reference/device/device.h"
#include "reference/device/fake_gpu.h"

// nvcc's keywords. The blocks of a launch run one after another, so the memory
// that a block's threads share can be static.
#undef __launch_bounds__
#undef __grid_constant__
#undef __shared__
#define __launch_bounds__(threads)
#define __grid_constant__
#define __shared__ static

namespace lockstep {

// A stream is a fake GPU's stream, which may keep launches for a graph.
inline cudaStream_t StreamOf(const Device& device) {
  return reinterpret_cast<cudaStream_t>(&FakeGpu::StreamOf(device));
}
inline FakeStream& StreamOf(cudaStream_t stream) {
  return *reinterpret_cast<FakeStream*>(stream);
}

namespace cuda {

using std::min;
using std::nan;

// Two warps, and two sums of eight lanes. More threads would only make barriers
// slower.
inline constexpr int kThreadsPerBlock = 16;
inline constexpr int64_t kMostBlocks = 3;
inline constexpr int kWarpLanes = 8;

struct Index {
  unsigned x = 0;
};
inline thread_local Index threadIdx;
inline thread_local Index blockIdx;
inline Index gridDim;

// The block that is running.
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
T __shfl_xor_sync(unsigned, T value, int mask) {
  static_assert(sizeof(T) <= sizeof(uint64_t));
  EmulatedBlock::Warp& warp = emulated_block.warps[threadIdx.x / kWarpLanes];
  const unsigned lane = threadIdx.x % kWarpLanes;
  std::memcpy(&warp.values[lane], &value, sizeof(T));
  warp.lanes.arrive_and_wait();
  T other;
  std::memcpy(&other, &warp.values[lane ^ static_cast<unsigned>(mask)],
              sizeof(T));
  warp.lanes.arrive_and_wait();  // all threads have read
  return other;
}

inline unsigned BlocksFor(int64_t count) {
  const int64_t blocks = (count + kThreadsPerBlock - 1) / kThreadsPerBlock;
  return static_cast<unsigned>(std::min(blocks, kMostBlocks));
}

// The threads of a block. They live from launch to launch, because starting
// them takes longer than most kernels.
class BlockThreads {
 public:
  BlockThreads() {
    for (unsigned thread = 0; thread < kThreadsPerBlock; ++thread) {
      threads_.emplace_back([this, thread] {
        threadIdx.x = thread;
        Serve();
      });
    }
  }
  ~BlockThreads() {
    body_ = nullptr;
    turn_.arrive_and_wait();
  }
  BlockThreads(const BlockThreads&) = delete;
  BlockThreads& operator=(const BlockThreads&) = delete;

  // All emulated GPUs share one set of threads.
  static BlockThreads& Instance() {
    static BlockThreads threads;
    return threads;
  }

  // Runs `body` on each thread. Callers take turns.
  void Run(unsigned blocks, const std::function<void()>& body) {
    std::lock_guard lock(mutex_);
    gridDim.x = blocks;
    body_ = &body;
    turn_.arrive_and_wait();
    turn_.arrive_and_wait();
  }

 private:
  void Serve() {
    while (true) {
      turn_.arrive_and_wait();
      if (body_ == nullptr) return;
      (*body_)();
      turn_.arrive_and_wait();
    }
  }

  std::mutex mutex_;
  const std::function<void()>* body_ = nullptr;  // nullptr: the end
  std::barrier<> turn_{kThreadsPerBlock +
                       1};             // the start and the end of a body
  std::vector<std::jthread> threads_;  // last: they use the members above
};

// Blocks run one after another.
template <class... Parameters, class... Arguments>
void RunBlocks(void (*kernel)(Parameters...), unsigned blocks,
               const Arguments&... arguments) {
  BlockThreads::Instance().Run(blocks, [&] {
    for (blockIdx.x = 0; blockIdx.x < blocks; ++blockIdx.x) {
      if (blockIdx.x > 0) __syncthreads();
      kernel(arguments...);
    }
  });
}

template <class... Parameters, class... Arguments>
cudaError_t Launch(void (*kernel)(Parameters...), unsigned blocks,
                   cudaStream_t stream, const Arguments&... arguments) {
  StreamOf(stream).Submit([=] { RunBlocks(kernel, blocks, arguments...); });
  return cudaSuccess;
}

template <class Body>
cudaError_t ForEach(int64_t count, cudaStream_t stream, const Body& body) {
  StreamOf(stream).Submit([=] {
    for (int64_t i = 0; i < count; ++i) body(i);
  });
  return cudaSuccess;
}

}  // namespace cuda
}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_KERNELS_EMULATION_EMULATED_GPU_H_
