// cuDNN's handles, and its statuses as typed errors.
//
//   CheckCudnn(cudnnCreate(&handle), "[CudnnHandle] create");
//   // Internal: "[CudnnHandle] create: CUDNN_STATUS_NOT_INITIALIZED: ..."
#ifndef LOCKSTEP_REFERENCE_KERNELS_CONVOLUTION_CUDA_CUDNN_HANDLE_H_
#define LOCKSTEP_REFERENCE_KERNELS_CONVOLUTION_CUDA_CUDNN_HANDLE_H_

#include <cudnn.h>

#include <mutex>
#include <string_view>

#include "reference/device/device.h"

namespace lockstep::cuda {

[[noreturn]] void FailCudnn(cudnnStatus_t status, std::string_view operation);

// Turns the status of a cuDNN call into a typed error.
// `operation` begins with its name in brackets.
// Errors: ResourceExhausted for a lack of memory, else Internal.
inline void CheckCudnn(cudnnStatus_t status, std::string_view operation) {
  if (status != CUDNN_STATUS_SUCCESS) FailCudnn(status, operation);
}

// Whether the library did what it was asked; whatever it fails for, be it a
// compiler that is missing, it may do something else instead.
// Errors: ResourceExhausted.
bool Succeeded(cudnnStatus_t status, std::string_view operation);

// cuDNN of one logical device, bound to its stream.
//
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

#endif  // LOCKSTEP_REFERENCE_KERNELS_CONVOLUTION_CUDA_CUDNN_HANDLE_H_
