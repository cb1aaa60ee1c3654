// Tells what cuDNN has not from what went wrong.
#ifndef LOCKSTEP_BENCHMARKS_MICRO_CUDNN_LAYERS_CHECK_SUPPORTED_H_
#define LOCKSTEP_BENCHMARKS_MICRO_CUDNN_LAYERS_CHECK_SUPPORTED_H_

#include <cudnn.h>

#include <string_view>

#include "reference/base/error.h"
#include "reference/kernels/cuda/check_cudnn.h"

namespace lockstep::benchmarks {

// Errors: Unimplemented for a type, shape or layout that the library says it
// does not support; else those of CheckCudnn.
inline void CheckSupported(cudnnStatus_t status, std::string_view operation) {
  if (CUDNN_STATUS_CATEGORY(status) == CUDNN_STATUS_NOT_SUPPORTED) {
    throw Unimplemented("{}: {}", operation, cudnnGetErrorString(status));
  }
  cuda::CheckCudnn(status, operation);
}

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_MICRO_CUDNN_LAYERS_CHECK_SUPPORTED_H_
