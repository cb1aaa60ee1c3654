#include "reference/device/gpu_backend.h"

#include <atomic>
#include <utility>

#include "reference/base/error.h"
#include "reference/device/device_kernel.h"

namespace lockstep::device_internal {
namespace {

// Set during static initialization, perhaps before this file's own objects.
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

void FailNoKernel(std::string_view operation) {
  throw Unimplemented("[{}] has no kernel for GPUs in this program", operation);
}

LogicalGpus::LogicalGpus(int gpus, Maker make)
    : make_(std::move(make)), counts_(gpus, 1) {}

void LogicalGpus::SetCount(int gpu, int count) {
  std::lock_guard lock(mutex_);
  const int gpus = static_cast<int>(counts_.size());
  if (gpu < 0 || gpu >= gpus) {
    throw NotFound("[SetLogicalGpuDevices] no GPU {}, this machine has {}", gpu,
                   gpus);
  }
  counts_[gpu] = count;
}

std::vector<Device*> LogicalGpus::List() {
  std::lock_guard lock(mutex_);
  std::vector<Device*> list;
  for (int gpu = 0; gpu < static_cast<int>(counts_.size()); ++gpu) {
    for (int part = 0; part < counts_[gpu]; ++part) {
      const int index = static_cast<int>(list.size());
      std::unique_ptr<Device>& device = devices_[Key(gpu, part, index)];
      if (!device) device = make_(gpu, index);
      list.push_back(device.get());
    }
  }
  return list;
}

std::vector<Device*> LogicalGpus::MadeOn(int gpu) {
  std::lock_guard lock(mutex_);
  std::vector<Device*> made;
  for (const auto& [key, device] : devices_) {
    if (std::get<0>(key) == gpu && device) made.push_back(device.get());
  }
  return made;
}

}  // namespace lockstep::device_internal
