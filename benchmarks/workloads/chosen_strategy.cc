#include "benchmarks/workloads/chosen_strategy.h"

#include <fmt/format.h>

#include <algorithm>

#include "reference/base/check.h"
#include "reference/device/device.h"
#include "reference/distribute/mirrored_strategy.h"

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

ChosenStrategy::ChosenStrategy(const StrategyChoice& choice) {
  const std::vector<std::string> names =
      ReplicaDevices(choice.device, choice.replicas);
  if (choice.mirrored) {
    mirrored_ = std::make_unique<MirroredStrategy>(
        names, MirroredStrategyOptions{.threads_per_replica =
                                           choice.threads_per_replica});
    strategy_ = mirrored_.get();
    devices_ = strategy_->devices();
    return;
  }
  LOCKSTEP_CHECK(choice.replicas == 1);
  team_ = std::make_unique<ThreadTeam>(choice.threads_per_replica);
  strategy_ = &GetStrategy();
  devices_ = {&FindDevice(names[0])};
}

ChosenStrategy::~ChosenStrategy() = default;

ChosenStrategy::Here::Here(const ChosenStrategy& chosen) {
  if (chosen.mirrored_) return;
  device_.emplace(*chosen.devices_[0]);
  team_.emplace(chosen.team_.get());
  flush_.emplace();
}

}  // namespace lockstep::benchmarks
