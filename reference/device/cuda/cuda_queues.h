// The streams of one logical GPU.
#ifndef LOCKSTEP_REFERENCE_DEVICE_CUDA_CUDA_QUEUES_H_
#define LOCKSTEP_REFERENCE_DEVICE_CUDA_CUDA_QUEUES_H_

#include <cuda_runtime_api.h>

#include <memory>
#include <mutex>

#include "reference/device/cuda/cuda_stream.h"
#include "reference/device/cuda/pinned_staging.h"
#include "reference/device/device_queues.h"

namespace lockstep {

class CudaQueues final : public DeviceQueues {
 public:
  // `compute` is a stream of GPU number `gpu` of the machine, and outlives this.
  CudaQueues(int gpu, const CudaStream& compute)
      : gpu_(gpu), compute_(compute) {}

  // For a launch or a library's handle; also makes the GPU the calling thread's
  // current one. Streams other than kCompute's are made when first asked for:
  // each takes one of a GPU's few connections. Errors: Internal.
  const CudaStream& stream(DeviceQueue queue);

  std::unique_ptr<Mark> Record(DeviceQueue queue) override;
  void WaitFor(DeviceQueue queue, const Mark& mark) override;
  // By way of pinned memory of its own: a copy in another stream does not wait.
  void CopyFromHost(void* to, const void* from, size_t bytes) override;

 private:
  struct SideStream {
    std::once_flag made;
    std::unique_ptr<CudaStream> stream;
  };
  static const CudaStream& Get(SideStream& side);

  const int gpu_;
  const CudaStream& compute_;
  SideStream communication_;
  SideStream copy_;
  PinnedStaging staging_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DEVICE_CUDA_CUDA_QUEUES_H_
