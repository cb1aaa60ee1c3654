#include "reference/distribute/input/distributed_dataset_testing.h"

#include <fmt/core.h>

#include "reference/data/dataset_testing.h"

namespace lockstep {

std::vector<Device*> CpuDevices(int count) {
  SetLogicalCpuDevices(count);
  std::vector<Device*> devices;
  for (int i = 0; i < count; ++i) {
    devices.push_back(&FindDevice(fmt::format("CPU:{}", i)));
  }
  return devices;
}

std::string ToText(const PerReplica<Structure>& step) {
  std::string text;
  for (const Structure& part : step) {
    text += (text.empty() ? "" : " ") + ToText(part);
  }
  return text;
}

std::vector<std::string> ReadSteps(const DistributedDataset& inputs) {
  std::vector<std::string> texts;
  for (const auto& step : inputs) texts.push_back(ToText(step));
  return texts;
}

}  // namespace lockstep
