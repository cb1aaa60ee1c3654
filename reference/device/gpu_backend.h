// What the device list asks the GPU backend, where a program has one.
//
// A backend registers itself while the program starts; it is linked by a
// dependency on //reference/cuda_backend, not called by name.
#ifndef LOCKSTEP_REFERENCE_DEVICE_GPU_BACKEND_H_
#define LOCKSTEP_REFERENCE_DEVICE_GPU_BACKEND_H_

#include <string>
#include <vector>

namespace lockstep {

class Device;

namespace device_internal {

class GpuBackend {
 public:
  virtual ~GpuBackend() = default;

  // The logical GPUs in order; empty where there is none.
  virtual std::vector<Device*> List() = 0;
  // Why there is no (further) GPU, and what to do about it: one sentence,
  // shown when one is asked for.
  virtual std::string WhyNoGpu() = 0;
  // Errors: NotFound for a GPU that does not exist. REQUIRES: count >= 1.
  virtual void SetLogicalDevices(int gpu, int count) = 0;
};

// Returns the one before; nullptr: none. REQUIRES: `backend` lives as long as the
// process, or until another one is set.
GpuBackend* SetGpuBackend(GpuBackend* backend);
// The one that was set, else one without GPUs.
GpuBackend& CurrentGpuBackend();

}  // namespace device_internal
}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DEVICE_GPU_BACKEND_H_
