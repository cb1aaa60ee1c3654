// A GPU's threads as threads of the host, so that our kernels run, and are
// tested, on machines without a GPU.
//
// Included in front of every other line of the sources that are built so: it
// stands in for for_each.cuh and cuda_memory.h, whose include guards it takes.
// A block has fewer threads and a launch fewer blocks than on a GPU, and so
// each of them goes around more often.
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

// What nvcc knows and g++ does not. The blocks of a launch run one behind the
// other, so what a block's threads share may be static.
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

// Two warps, and two sums of eight lanes. More threads of the host would only
// wait for longer at each barrier.
inline constexpr int kThreadsPerBlock = 16;
inline constexpr int64_t kMostBlocks = 3;
inline constexpr int kWarpLanes = 8;

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
T __shfl_xor_sync(unsigned, T value, int mask) {
  static_assert(sizeof(T) <= sizeof(uint64_t));
  EmulatedBlock::Warp& warp = emulated_block.warps[threadIdx.x / kWarpLanes];
  const unsigned lane = threadIdx.x % kWarpLanes;
  std::memcpy(&warp.values[lane], &value, sizeof(T));
  warp.lanes.arrive_and_wait();
  T other;
  std::memcpy(&other, &warp.values[lane ^ static_cast<unsigned>(mask)],
              sizeof(T));
  warp.lanes.arrive_and_wait();  // all have read
  return other;
}

inline unsigned BlocksFor(int64_t count) {
  const int64_t blocks = (count + kThreadsPerBlock - 1) / kThreadsPerBlock;
  return static_cast<unsigned>(std::min(blocks, kMostBlocks));
}

// The threads of a block. They are kept from launch to launch: to start them
// takes longer than most kernels.
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

  // There is one emulated GPU's worth of threads, whatever the number of GPUs.
  static BlockThreads& Instance() {
    static BlockThreads threads;
    return threads;
  }

  // Runs `body` on each of them; one caller after another.
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
  std::barrier<> turn_{kThreadsPerBlock + 1};    // a body begins, or has ended
  std::vector<std::jthread> threads_;            // last: they use all of these
};

// The next block begins when all threads are through with the one before.
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
