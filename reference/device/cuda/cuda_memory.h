// The memory and stream of one logical GPU, and captured work as a CUDA graph.
#ifndef LOCKSTEP_REFERENCE_DEVICE_CUDA_CUDA_MEMORY_H_
#define LOCKSTEP_REFERENCE_DEVICE_CUDA_CUDA_MEMORY_H_

#include <cuda_runtime_api.h>

#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "reference/device/cuda/cuda_streams.h"
#include "reference/device/device.h"

namespace lockstep {

class CudaMemory final : public DeviceMemory {
 public:
  // On GPU number `gpu` of the machine. `reclaim` makes the GPU's other logical
  // devices return unused memory. Errors: Internal.
  CudaMemory(int gpu, std::function<void()> reclaim);

  // The memory of a logical GPU. REQUIRES: the CUDA backend made the device.
  static CudaMemory& Of(const Device& device);

  int gpu() const { return gpu_; }
  // The stream of the logical device, for a launch or a library's handle; also
  // makes its GPU the calling thread's current one. Errors: Internal.
  const CudaStream& stream();

  void* Take(size_t bytes) override;
  // False while a graph is captured: cudaFree waits for the whole GPU, which
  // would invalidate the capture.
  bool CanReturn() const override;
  void Return(void* block, size_t bytes) noexcept override;
  void Reclaim() override { reclaim_(); }
  // "GPU 0 of the machine, 1024 of 4096 bytes free".
  std::string Describe() const override;

  std::unique_ptr<GraphCapture> BeginCapture(
      std::span<Device* const> devices) override;

  CudaStreams& streams() override { return *streams_; }

 private:
  void DoCopyFromHost(void* to, const void* from, size_t bytes) override;
  void DoCopyToHost(void* to, const void* from, size_t bytes) override;
  void DoCopy(void* to, const void* from, size_t bytes) override;
  void DoCopyFrom(DeviceMemory& other, void* to, const void* from,
                  size_t bytes) override;
  void DoFill(void* to, const void* value, size_t value_bytes,
              int64_t count) override;
  void DoSynchronize() override;
  void MakeCurrent() const;

  const int gpu_;
  const std::function<void()> reclaim_;
  std::unique_ptr<CudaStream> stream_;
  std::unique_ptr<CudaStreams> streams_;
  PinnedStaging staging_;
};

// The stream of a logical GPU, for a launch; see CudaStreams::stream.
inline cudaStream_t StreamOf(const Device& device,
                             DeviceStream which = DeviceStream::kCompute) {
  return CudaMemory::Of(device).streams().stream(which).get();
}

// One graph over the streams of some logical GPUs, on one GPU or on several.
class CudaGraph final : public DeviceGraph {
 public:
  // Makes `graph` executable. Errors: Internal; ResourceExhausted.
  CudaGraph(cudaGraph_t graph, std::vector<CudaMemory*> memories);
  // Returns at once; a launch that still runs is completed first.
  ~CudaGraph() override;
  CudaGraph(const CudaGraph&) = delete;
  CudaGraph& operator=(const CudaGraph&) = delete;

  // Launches in the first stream, which waits for the other streams before and
  // makes them wait after.
  void Launch() override;

 private:
  const std::vector<CudaMemory*> memories_;
  std::vector<std::unique_ptr<CudaEvent>> ready_;  // one per stream
  cudaGraphExec_t executable_ = nullptr;
};

// The capture mode is relaxed. The global mode would make allocations and
// copies of other threads (input, NCCL) fail, the thread-local mode the growth
// of a pool on a replica's thread. DeviceMemory refuses calls that a capture
// must not contain, with a better error.
class CudaGraphCapture final : public GraphCapture {
 public:
  // REQUIRES: at least one device, all of the CUDA backend's.
  static std::unique_ptr<CudaGraphCapture> Begin(
      std::span<Device* const> devices);
  ~CudaGraphCapture() override;

  // Whether any thread is capturing now.
  static bool IsAnyUnderWay() { return under_way_ > 0; }

  std::unique_ptr<DeviceGraph> End() override;

 private:
  explicit CudaGraphCapture(std::vector<CudaMemory*> memories);
  void Fork() const;
  void Join() const;
  cudaError_t Stop(cudaGraph_t* graph);

  const std::vector<CudaMemory*> memories_;
  const cudaStream_t origin_;  // the first stream's
  bool capturing_ = false;
  static inline std::atomic<int> under_way_ = 0;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DEVICE_CUDA_CUDA_MEMORY_H_
