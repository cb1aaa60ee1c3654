#include "reference/device/gpu_backend.h"

#include <atomic>

#include "reference/base/error.h"

namespace lockstep::device_internal {
namespace {

// Set while the program starts, perhaps before this file's own objects.
constinit std::atomic<GpuBackend*> registered{nullptr};

class NoGpuBackend final : public GpuBackend {
 public:
  std::vector<Device*> List() override { return {}; }

  std::string WhyNoGpu() override {
    return "no CUDA device: this program was built without the CUDA backend";
  }

  void SetLogicalDevices(int gpu, int) override {
    throw NotFound("[SetLogicalGpuDevices] no GPU {} ({})", gpu, WhyNoGpu());
  }
};

}  // namespace

GpuBackend* SetGpuBackend(GpuBackend* backend) {
  return registered.exchange(backend);
}

GpuBackend& CurrentGpuBackend() {
  static GpuBackend* none = new NoGpuBackend;
  GpuBackend* backend = registered;
  return backend ? *backend : *none;
}

}  // namespace lockstep::device_internal
