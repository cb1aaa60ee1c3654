#include "reference/kernels/convolution/cuda/cudnn_handle.h"

#include <array>
#include <memory>
#include <string>

#include "reference/base/error.h"
#include "reference/device/cuda/cuda_memory.h"
#include "reference/kernels/cuda/per_device.h"

namespace lockstep::cuda {
namespace {

bool IsLackOfMemory(cudnnStatus_t status) {
  return status == CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED ||
         status == CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED;
}

}  // namespace

void FailCudnn(cudnnStatus_t status, std::string_view operation) {
  std::array<char, 512> detail{};
  cudnnGetLastErrorString(detail.data(), detail.size());
  std::string message =
      fmt::format("{}: {}", operation, cudnnGetErrorString(status));
  if (detail[0] != '\0') message += fmt::format(": {}", detail.data());
  throw Error(
      IsLackOfMemory(status) ? Code::kResourceExhausted : Code::kInternal,
      message);
}

bool Succeeded(cudnnStatus_t status, std::string_view operation) {
  if (IsLackOfMemory(status)) FailCudnn(status, operation);
  return status == CUDNN_STATUS_SUCCESS;
}

CudnnHandle::CudnnHandle(const Device& device) {
  CheckCudnn(cudnnCreate(&handle_), "[CudnnHandle] create");
  CheckCudnn(cudnnSetStream(handle_, StreamOf(device)),
             "[CudnnHandle] set the stream");
}

CudnnHandle& CudnnHandle::Of(const Device& device) {
  // Never destroyed: at exit the driver may be unloaded first.
  static auto* handles = new PerDevice<CudnnHandle>;
  StreamOf(device);  // makes the GPU current, for cudnnCreate and launches
  return handles->Of(device, [&] {
    return std::unique_ptr<CudnnHandle>(new CudnnHandle(device));
  });
}

}  // namespace lockstep::cuda
