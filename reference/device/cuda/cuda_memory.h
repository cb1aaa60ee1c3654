// The memory and the queue of one logical GPU.
#ifndef LOCKSTEP_REFERENCE_DEVICE_CUDA_CUDA_MEMORY_H_
#define LOCKSTEP_REFERENCE_DEVICE_CUDA_CUDA_MEMORY_H_

#include <cuda_runtime_api.h>

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "reference/device/cuda/cuda_queues.h"
#include "reference/device/cuda/cuda_stream.h"
#include "reference/device/cuda/pinned_staging.h"
#include "reference/device/device.h"
#include "reference/device/device_memory.h"

namespace lockstep {

class CudaMemory final : public DeviceMemory {
 public:
  // On GPU number `gpu` of the machine; `reclaim` asks the GPU's other logical
  // devices to return what they keep unused. Errors: Internal.
  CudaMemory(int gpu, std::function<void()> reclaim);

  // That of a logical GPU. REQUIRES: the CUDA backend made it.
  static CudaMemory& Of(const Device& device);

  int gpu() const { return gpu_; }
  // The queue of the logical device, for a launch or a library's handle; also
  // makes its GPU the calling thread's current one. Errors: Internal.
  const CudaStream& stream();

  void* Take(size_t bytes) override;
  // Not while a graph is captured: cudaFree waits for the whole GPU, which would
  // end the capture.
  bool CanReturn() const override;
  void Return(void* block, size_t bytes) noexcept override;
  void Reclaim() override { reclaim_(); }
  // "GPU 0 of the machine, 1024 of 4096 bytes free".
  std::string Describe() const override;

  std::unique_ptr<GraphCapture> BeginCapture(
      std::span<Device* const> devices) override;

  CudaQueues& queues() override { return *queues_; }

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
  std::unique_ptr<CudaQueues> queues_;
  PinnedStaging staging_;
};

// The queue of a logical GPU, for a launch; see CudaQueues::stream.
inline cudaStream_t StreamOf(const Device& device,
                             DeviceQueue queue = DeviceQueue::kCompute) {
  return CudaMemory::Of(device).queues().stream(queue).get();
}

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DEVICE_CUDA_CUDA_MEMORY_H_
