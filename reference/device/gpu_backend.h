// The interface between the device list and a GPU backend, and the logical
// devices of a backend.
//
// A backend registers itself during static initialization. Programs link it by
// a dependency on //reference/cuda_backend.
#ifndef LOCKSTEP_REFERENCE_DEVICE_GPU_BACKEND_H_
#define LOCKSTEP_REFERENCE_DEVICE_GPU_BACKEND_H_

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "reference/device/device.h"

namespace lockstep {

class Device;

namespace device_internal {

class GpuBackend {
 public:
  virtual ~GpuBackend() = default;

  // The logical GPUs in order; empty if there are none.
  virtual std::vector<Device*> List() = 0;
  // Why there are no (more) GPUs and what to do about it, as one sentence for
  // error messages.
  virtual std::string WhyNoGpu() = 0;
  // Errors: NotFound for a GPU that does not exist. REQUIRES: count >= 1.
  virtual void SetLogicalDevices(int gpu, int count) = 0;
};

// Returns the previous backend; nullptr if there was none. REQUIRES: `backend`
// lives until the process ends or another is set.
GpuBackend* SetGpuBackend(GpuBackend* backend);
// The backend that was set, or one without GPUs.
GpuBackend& CurrentGpuBackend();

}  // namespace device_internal

}  // namespace lockstep

namespace lockstep::device_internal {

// Logical devices on a machine's GPUs, numbered consecutively.
//
//   LogicalGpus gpus(2, [](int gpu, int index) { return Make(gpu, index); });
//   gpus.SetCount(0, 3);
//   gpus.List();   // GPU:0, GPU:1, GPU:2 on the first, GPU:3 on the second
//
// Thread-safe. Devices are created when they are first listed and live as long
// as this. A device that is no longer listed, or whose number was given to
// another, stays usable.
class LogicalGpus {
 public:
  // `index` is the device's number among all logical devices.
  using Maker = std::function<std::unique_ptr<Device>(int gpu, int index)>;

  // One logical device on each of `gpus` GPUs.
  LogicalGpus(int gpus, Maker make);

  // Errors: NotFound for a GPU that does not exist.
  // REQUIRES: count >= 1.
  void SetCount(int gpu, int count);
  // Errors: those of the maker.
  std::vector<Device*> List();
  // Every device that was created on a GPU, listed or not.
  std::vector<Device*> MadeOn(int gpu);

 private:
  using Key = std::tuple<int, int, int>;  // GPU, part of it, number

  const Maker make_;
  std::mutex mutex_;
  std::vector<int> counts_;
  std::map<Key, std::unique_ptr<Device>> devices_;
};

}  // namespace lockstep::device_internal

#endif  // LOCKSTEP_REFERENCE_DEVICE_GPU_BACKEND_H_
