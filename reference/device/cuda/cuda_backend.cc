// The CUDA GpuBackend, registered during static initialization.

#include <cuda_runtime_api.h>

#include <memory>
#include <string>
#include <vector>

#include "reference/base/error.h"
#include "reference/device/cuda/check_cuda.h"
#include "reference/device/cuda/cuda_memory.h"
#include "reference/device/device.h"
#include "reference/device/gpu_backend.h"

namespace lockstep::device_internal {
namespace {

class CudaBackend final : public GpuBackend {
 public:
  // Never destroyed: a tensor with static storage duration may use its device
  // during exit.
  static CudaBackend& Get() {
    static CudaBackend* backend = new CudaBackend;
    return *backend;
  }

  std::vector<Device*> List() override { return gpus_.List(); }

  std::string WhyNoGpu() override {
    return device_internal::WhyNoGpu(status_, count_);
  }

  void SetLogicalDevices(int gpu, int count) override {
    if (count_ == 0) {
      throw NotFound("[SetLogicalGpuDevices] no GPU {} ({})", gpu, WhyNoGpu());
    }
    gpus_.SetCount(gpu, count);
  }

 private:
  CudaBackend()
      : status_(cudaGetDeviceCount(&count_)),
        gpus_(count_,
              [this](int gpu, int index) { return MakeDevice(gpu, index); }) {
    cudaGetLastError();  // clears the error; status_ keeps it for WhyNoGpu
  }

  std::unique_ptr<Device> MakeDevice(int gpu, int index) {
    return std::make_unique<Device>(
        DeviceKind::kGpu, index, std::make_unique<CudaMemory>(gpu, [this, gpu] {
          for (Device* device : gpus_.MadeOn(gpu)) device->pool().Trim();
        }));
  }

  int count_ = 0;
  cudaError_t status_;
  LogicalGpus gpus_;
};

// Creates the CudaBackend, which calls the driver, on first use instead of
// during static initialization.
class DeferredCudaBackend final : public GpuBackend {
 public:
  std::vector<Device*> List() override { return CudaBackend::Get().List(); }
  std::string WhyNoGpu() override { return CudaBackend::Get().WhyNoGpu(); }
  void SetLogicalDevices(int gpu, int count) override {
    CudaBackend::Get().SetLogicalDevices(gpu, count);
  }
};

[[maybe_unused]] const bool registered = [] {
  SetGpuBackend(new DeferredCudaBackend);
  return true;
}();

}  // namespace
}  // namespace lockstep::device_internal
