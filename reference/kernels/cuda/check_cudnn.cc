#include "reference/kernels/cuda/check_cudnn.h"

#include <array>
#include <string>

#include "reference/base/error.h"

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

}  // namespace lockstep::cuda
