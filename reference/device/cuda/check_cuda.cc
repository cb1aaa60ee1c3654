#include "reference/device/cuda/check_cuda.h"

#include <fmt/core.h>

#include "reference/base/error.h"

namespace lockstep::device_internal {

void FailCuda(cudaError_t status, std::string_view operation) {
  cudaGetLastError();  // clears the error, so that later calls do not report it
  const char* name = cudaGetErrorName(status);
  const char* text = cudaGetErrorString(status);
  if (status == cudaErrorMemoryAllocation) {
    throw ResourceExhausted("{}: {}: {}", operation, name, text);
  }
  throw Internal("{}: {}: {}", operation, name, text);
}

std::string WhyNoGpu(cudaError_t status, int gpus) {
  if (status == cudaErrorInsufficientDriver) {
    return fmt::format(
        "no CUDA device: there is no NVIDIA driver, or one too old for CUDA "
        "{}.{}; install a newer one",
        CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
  }
  if (status == cudaErrorNoDevice || (status == cudaSuccess && gpus == 0)) {
    return "no CUDA device: the driver shows none; see nvidia-smi and "
           "CUDA_VISIBLE_DEVICES";
  }
  if (status != cudaSuccess) {
    return fmt::format("no CUDA device: {}: {}", cudaGetErrorName(status),
                       cudaGetErrorString(status));
  }
  return fmt::format(
      "this machine has {} CUDA device{}; SetLogicalGpuDevices divides one",
      gpus, gpus == 1 ? "" : "s");
}

}  // namespace lockstep::device_internal
