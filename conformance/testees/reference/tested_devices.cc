#include "conformance/testees/reference/tested_devices.h"

#include <fmt/core.h>

namespace lockstep::conformance {
namespace {

constexpr std::string_view kProgramPrefix = "CPU:";

}  // namespace

TestedDevices::TestedDevices(DeviceKind kind) : kind_(kind) {
  if (kind == DeviceKind::kGpu)
    FindDevice("GPU:0");  // throws the reason if there is none
}

std::string TestedDevices::kind_name() const {
  return kind_ == DeviceKind::kCpu ? "CPU" : "GPU";
}

void TestedDevices::SetCount(int count) const {
  if (kind_ == DeviceKind::kCpu) {
    SetLogicalCpuDevices(count);
  } else {
    SetLogicalGpuDevices(0, count);
  }
}

std::string TestedDevices::Translate(const std::string& name) const {
  if (kind_ == DeviceKind::kCpu || !name.starts_with(kProgramPrefix))
    return name;
  return fmt::format("GPU:{}", name.substr(kProgramPrefix.size()));
}

std::vector<std::string> TestedDevices::Names() const {
  std::vector<std::string> names;
  for (const Device* device : ListLogicalDevices()) {
    if (device->kind() != kind_) continue;
    names.push_back(fmt::format("{}{}", kProgramPrefix, device->index()));
  }
  return names;
}

}  // namespace lockstep::conformance
