// What our GPU code asks of CUDA's runtime and of the device list, on a machine
// without a GPU: one emulated GPU whose memory the host may touch.
#include <cuda_runtime_api.h>

#include <cstring>
#include <string>
#include <vector>

#include "reference/base/error.h"
#include "reference/device/cuda/check_cuda.h"
#include "reference/device/fake_gpu.h"
#include "reference/device/gpu_backend.h"

cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from,
                              size_t from_pitch, size_t width, size_t height,
                              cudaMemcpyKind, cudaStream_t) {
  if (width > to_pitch || width > from_pitch) return cudaErrorInvalidPitchValue;
  for (size_t row = 0; row < height; ++row) {
    std::memcpy(static_cast<char*>(to) + row * to_pitch,
                static_cast<const char*>(from) + row * from_pitch, width);
  }
  return cudaSuccess;
}

namespace lockstep::device_internal {

void FailCuda(cudaError_t status, std::string_view operation) {
  throw Internal("{}: status {}", operation, static_cast<int>(status));
}

namespace {

class EmulatedBackend final : public GpuBackend {
 public:
  std::vector<Device*> List() override { return {&gpu_.device()}; }
  std::string WhyNoGpu() override { return "one GPU is emulated"; }
  void SetLogicalDevices(int, int) override {}

 private:
  FakeGpu gpu_{0, size_t{4} << 30, FakeGpu::HostAccess::kAllowed};
};

[[maybe_unused]] const bool registered = [] {
  SetGpuBackend(new EmulatedBackend);
  return true;
}();

}  // namespace
}  // namespace lockstep::device_internal
