// A machine whose GPUs are fakes, as long as it lives.
#ifndef LOCKSTEP_REFERENCE_DEVICE_FAKE_GPU_BACKEND_H_
#define LOCKSTEP_REFERENCE_DEVICE_FAKE_GPU_BACKEND_H_

#include <string>
#include <utility>
#include <vector>

#include "reference/device/gpu_backend.h"

namespace lockstep {

class FakeGpuBackend : public device_internal::GpuBackend {
 public:
  explicit FakeGpuBackend(std::vector<Device*> gpus)
      : gpus_(std::move(gpus)),
        previous_(device_internal::SetGpuBackend(this)) {}
  ~FakeGpuBackend() override { device_internal::SetGpuBackend(previous_); }

  std::vector<Device*> List() override { return gpus_; }
  std::string WhyNoGpu() override { return "the fakes end here"; }
  void SetLogicalDevices(int, int) override {}

 private:
  std::vector<Device*> gpus_;
  device_internal::GpuBackend* const previous_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DEVICE_FAKE_GPU_BACKEND_H_
