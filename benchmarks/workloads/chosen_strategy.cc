#include "benchmarks/workloads/chosen_strategy.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>

#include "reference/base/check.h"
#include "reference/device/device.h"
#include "reference/distribute/mirrored_strategy.h"

namespace lockstep::benchmarks {
namespace {

// Workers begin an epoch together, so one that the others wait for in a step is
// stuck.
constexpr std::chrono::minutes kStuck{2};

int64_t CountDevices(DeviceKind kind) {
  const std::vector<Device*> devices = ListLogicalDevices();
  return std::ranges::count(devices, kind, &Device::kind);
}

std::unique_ptr<Strategy> MakeMirrored(const StrategyChoice& choice,
                                       const std::vector<std::string>& names) {
  if (choice.workers) {
    MultiWorkerMirroredStrategyOptions options;
    options.devices = names;
    options.threads_per_replica = choice.threads_per_replica;
    options.communication.timeout = kStuck;
    return std::make_unique<MultiWorkerMirroredStrategy>(*choice.workers,
                                                         options);
  }
  return std::make_unique<MirroredStrategy>(
      names, MirroredStrategyOptions{.threads_per_replica =
                                         choice.threads_per_replica});
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
    mirrored_ = MakeMirrored(choice, names);
    strategy_ = mirrored_.get();
    devices_ = strategy_->devices();
    return;
  }
  LOCKSTEP_CHECK(choice.replicas == 1 && !choice.workers);
  team_ = std::make_unique<ThreadTeam>(choice.threads_per_replica);
  strategy_ = &GetStrategy();
  devices_ = {&FindDevice(names[0])};
}

ChosenStrategy::~ChosenStrategy() = default;

DistributedDataset ChosenStrategy::Distribute(const Dataset& dataset) const {
  if (mirrored_) return mirrored_->DistributeDataset(dataset);
  return DistributeDataset(strategy_->topology(), devices_, dataset);
}

ChosenStrategy::Here::Here(const ChosenStrategy& chosen) {
  if (chosen.mirrored_) return;
  device_.emplace(*chosen.devices_[0]);
  team_.emplace(chosen.team_.get());
  flush_.emplace();
}

}  // namespace lockstep::benchmarks
