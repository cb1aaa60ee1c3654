// cuDNN of one logical device, bound to its stream.
#ifndef LOCKSTEP_REFERENCE_KERNELS_CUDA_CUDNN_HANDLE_H_
#define LOCKSTEP_REFERENCE_KERNELS_CUDA_CUDNN_HANDLE_H_

#include <cudnn.h>

#include <mutex>

#include "reference/device/device.h"

namespace lockstep::cuda {

// Not thread-safe, as the library's handle is not: whoever uses it holds
// mutex(). Two replicas have two of them.
class CudnnHandle {
 public:
  // That of `device`, made when first asked for; lives as long as the process.
  // Also makes the device's GPU the thread's current one. Errors: Internal.
  static CudnnHandle& Of(const Device& device);

  cudnnHandle_t get() const { return handle_; }
  std::mutex& mutex() { return mutex_; }

 private:
  explicit CudnnHandle(const Device& device);

  cudnnHandle_t handle_ = nullptr;
  std::mutex mutex_;
};

}  // namespace lockstep::cuda

#endif  // LOCKSTEP_REFERENCE_KERNELS_CUDA_CUDNN_HANDLE_H_
