#include "reference/device/logical_gpus.h"

#include <utility>

#include "reference/base/error.h"

namespace lockstep::device_internal {

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
