#include "benchmarks/workloads/chosen_strategy.h"

#include "benchmarks/workloads/replica_devices.h"
#include "reference/base/check.h"
#include "reference/distribute/mirrored_strategy.h"

namespace lockstep::benchmarks {

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
