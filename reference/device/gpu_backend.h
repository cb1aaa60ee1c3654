// What the device list asks the GPU backend, where a program has one, and
// the logical devices that a backend has.
//
// A backend registers itself while the program starts; it is linked by a
// dependency on //reference/cuda_backend, not called by name.
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

  // The logical GPUs in order; empty where there is none.
  virtual std::vector<Device*> List() = 0;
  // Why there is no (further) GPU, and what to do about it: one sentence,
  // shown when one is asked for.
  virtual std::string WhyNoGpu() = 0;
  // Errors: NotFound for a GPU that does not exist. REQUIRES: count >= 1.
  virtual void SetLogicalDevices(int gpu, int count) = 0;
};

// Returns the one before; nullptr: none. REQUIRES: `backend` lives as long as
// the process, or until another one is set.
GpuBackend* SetGpuBackend(GpuBackend* backend);
// The one that was set, else one without GPUs.
GpuBackend& CurrentGpuBackend();

}  // namespace device_internal

}  // namespace lockstep

namespace lockstep::device_internal {

// Logical devices on each of a machine's GPUs, numbered through.
//
//   LogicalGpus gpus(2, [](int gpu, int index) { return Make(gpu, index); });
//   gpus.SetCount(0, 3);
//   gpus.List();   // GPU:0, GPU:1, GPU:2 on the first, GPU:3 on the second
//
// Thread-safe. Devices are made when they are first listed and live as long as
// this; one that is listed no longer, or under another number, stays usable.
class LogicalGpus {
 public:
  // `index` is the device's number among all of them.
  using Maker = std::function<std::unique_ptr<Device>(int gpu, int index)>;

  // One logical device on each of `gpus` GPUs.
  LogicalGpus(int gpus, Maker make);

  // Errors: NotFound for a GPU that does not exist.
  // REQUIRES: count >= 1.
  void SetCount(int gpu, int count);
  // Errors: those of the maker.
  std::vector<Device*> List();
  // Every device that was made on a GPU, listed or not.
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
