// cuDNN handles, and cuDNN statuses as typed errors.
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

// Throws the error of CheckCudnn. REQUIRES: status is not CUDNN_STATUS_SUCCESS.
[[noreturn]] void FailCudnn(cudnnStatus_t status, std::string_view operation);

// Turns the status of a cuDNN call into a typed error. `operation` begins the
// message: the caller in brackets and usually the action, as in
// "[CudnnHandle] create". Errors: ResourceExhausted if memory is exhausted,
// else Internal.
inline void CheckCudnn(cudnnStatus_t status, std::string_view operation) {
  if (status != CUDNN_STATUS_SUCCESS) FailCudnn(status, operation);
}

// Returns whether a call succeeded, for callers that then try another engine.
// Errors: ResourceExhausted if memory is exhausted; `operation` as in
// CheckCudnn.
bool Succeeded(cudnnStatus_t status, std::string_view operation);

// The cuDNN handle of one logical device, which runs in the device's compute
// stream.
//
// Not thread-safe: hold mutex() while using get().
class CudnnHandle {
 public:
  // The handle of `device`, created on first use and never destroyed. Also
  // makes the device's GPU the thread's current one. Errors: ResourceExhausted;
  // Internal. REQUIRES: the CUDA backend made the device.
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
