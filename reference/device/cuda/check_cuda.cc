#include "reference/device/cuda/check_cuda.h"

#include "reference/base/error.h"

namespace lockstep::device_internal {

void FailCuda(cudaError_t status, std::string_view operation) {
  cudaGetLastError();  // the next call must not report this one again
  const char* name = cudaGetErrorName(status);
  const char* text = cudaGetErrorString(status);
  if (status == cudaErrorMemoryAllocation) {
    throw ResourceExhausted("{}: {}: {}", operation, name, text);
  }
  throw Internal("{}: {}: {}", operation, name, text);
}

}  // namespace lockstep::device_internal
