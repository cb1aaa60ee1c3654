#include "benchmarks/workloads/replica_devices.h"

#include <fmt/format.h>

#include <algorithm>

#include "reference/base/check.h"
#include "reference/device/device.h"

namespace lockstep::benchmarks {
namespace {

int64_t CountDevices(DeviceKind kind) {
  const std::vector<Device*> devices = ListLogicalDevices();
  return std::ranges::count(devices, kind, &Device::kind);
}

}  // namespace

std::vector<std::string> ReplicaDevices(std::string_view kind, int count) {
  LOCKSTEP_CHECK(kind == "cpu" || kind == "gpu");
  std::vector<std::string> names;
  if (kind == "cpu") {
    if (CountDevices(DeviceKind::kCpu) < count) SetLogicalCpuDevices(count);
    for (int i = 0; i < count; ++i) names.push_back(fmt::format("CPU:{}", i));
    return names;
  }
  FindDevice("GPU:0");  // says why there is none
  if (CountDevices(DeviceKind::kGpu) < count) SetLogicalGpuDevices(0, count);
  for (int i = 0; i < count; ++i) names.push_back(fmt::format("GPU:{}", i));
  return names;
}

}  // namespace lockstep::benchmarks
