// Registers this machine's GPUs with the device list.
#include <cuda_runtime_api.h>

#include <memory>

#include "reference/base/error.h"
#include "reference/device/cuda/cuda_memory.h"
#include "reference/device/cuda/why_no_gpu.h"
#include "reference/device/gpu_backend.h"
#include "reference/device/logical_gpus.h"

namespace lockstep::device_internal {
namespace {

class CudaBackend final : public GpuBackend {
 public:
  // Never dies: tensors, and with them devices, may outlive everything.
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
        gpus_(count_, [this](int gpu, int index) { return Make(gpu, index); }) {
    cudaGetLastError();  // "no device" is an answer here
  }

  std::unique_ptr<Device> Make(int gpu, int index) {
    return std::make_unique<Device>(
        DeviceKind::kGpu, index, std::make_unique<CudaMemory>(gpu, [this, gpu] {
          for (Device* device : gpus_.MadeOn(gpu)) device->pool().Trim();
        }));
  }

  int count_ = 0;
  cudaError_t status_;
  LogicalGpus gpus_;
};

// Asks the driver only when somebody asks for devices.
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
