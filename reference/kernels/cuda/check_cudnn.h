// Turns the status of a cuDNN call into a typed error.
//
//   CheckCudnn(cudnnCreate(&handle), "[CudnnHandle] create");
//   // Internal: "[CudnnHandle] create: CUDNN_STATUS_NOT_INITIALIZED: ..."
#ifndef LOCKSTEP_REFERENCE_KERNELS_CUDA_CHECK_CUDNN_H_
#define LOCKSTEP_REFERENCE_KERNELS_CUDA_CHECK_CUDNN_H_

#include <cudnn.h>

#include <string_view>

namespace lockstep::cuda {

[[noreturn]] void FailCudnn(cudnnStatus_t status, std::string_view operation);

// `operation` begins with its name in brackets.
// Errors: ResourceExhausted for a lack of memory, else Internal.
inline void CheckCudnn(cudnnStatus_t status, std::string_view operation) {
  if (status != CUDNN_STATUS_SUCCESS) FailCudnn(status, operation);
}

// Whether the library did what it was asked; whatever it fails for, be it a
// compiler that is missing, it may do something else instead.
// Errors: ResourceExhausted.
bool Succeeded(cudnnStatus_t status, std::string_view operation);

}  // namespace lockstep::cuda

#endif  // LOCKSTEP_REFERENCE_KERNELS_CUDA_CHECK_CUDNN_H_
