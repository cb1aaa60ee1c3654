// Logical devices on each of a machine's GPUs, numbered through.
//
//   LogicalGpus gpus(2, [](int gpu, int index) { return Make(gpu, index); });
//   gpus.SetCount(0, 3);
//   gpus.List();   // GPU:0, GPU:1, GPU:2 on the first, GPU:3 on the second
#ifndef LOCKSTEP_REFERENCE_DEVICE_LOGICAL_GPUS_H_
#define LOCKSTEP_REFERENCE_DEVICE_LOGICAL_GPUS_H_

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <vector>

#include "reference/device/device.h"

namespace lockstep::device_internal {

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

#endif  // LOCKSTEP_REFERENCE_DEVICE_LOGICAL_GPUS_H_
