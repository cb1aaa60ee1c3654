// Turns the status of a CUDA call into a typed error.
//
//   CheckCuda(cudaStreamSynchronize(stream), "[Synchronize] GPU:0");
//   // Internal: "[Synchronize] GPU:0: cudaErrorIllegalAddress: an illegal
//   // memory access was encountered"
#ifndef LOCKSTEP_REFERENCE_DEVICE_CUDA_CHECK_CUDA_H_
#define LOCKSTEP_REFERENCE_DEVICE_CUDA_CHECK_CUDA_H_

#include <cuda_runtime_api.h>

#include <string>
#include <string_view>

namespace lockstep {

namespace device_internal {
[[noreturn]] void FailCuda(cudaError_t status, std::string_view operation);
}  // namespace device_internal

// `operation` begins with its name in brackets. Errors: ResourceExhausted if
// memory is exhausted, else Internal.
inline void CheckCuda(cudaError_t status, std::string_view operation) {
  if (status != cudaSuccess) device_internal::FailCuda(status, operation);
}

}  // namespace lockstep

namespace lockstep::device_internal {

// The reason why a GPU is not available, as one sentence, from the results of
// cudaGetDeviceCount: its status and, if that is cudaSuccess, the number of
// GPUs.
std::string WhyNoGpu(cudaError_t status, int gpus);

}  // namespace lockstep::device_internal

#endif  // LOCKSTEP_REFERENCE_DEVICE_CUDA_CHECK_CUDA_H_
