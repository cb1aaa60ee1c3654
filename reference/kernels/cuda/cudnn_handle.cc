#include "reference/kernels/cuda/cudnn_handle.h"

#include <memory>

#include "reference/device/cuda/cuda_memory.h"
#include "reference/kernels/cuda/check_cudnn.h"
#include "reference/kernels/cuda/per_device.h"

namespace lockstep::cuda {

CudnnHandle::CudnnHandle(const Device& device) {
  CheckCudnn(cudnnCreate(&handle_), "[CudnnHandle] create");
  CheckCudnn(cudnnSetStream(handle_, StreamOf(device)),
             "[CudnnHandle] set the stream");
}

CudnnHandle& CudnnHandle::Of(const Device& device) {
  // Never destroyed: at the process's end the driver may be gone before.
  static auto* handles = new PerDevice<CudnnHandle>;
  StreamOf(device);  // makes the GPU current, for cudnnCreate and launches
  return handles->Of(device, [&] {
    return std::unique_ptr<CudnnHandle>(new CudnnHandle(device));
  });
}

}  // namespace lockstep::cuda
