#include "reference/distribute/mirrored_strategy.h"

#include <utility>

#include "reference/base/log.h"

namespace lockstep {
namespace {

ReplicasPtr MakeReplicas(std::vector<Device*> devices,
                         const MirroredStrategyOptions& options) {
  ReplicasPtr replicas = distribute_internal::MakeReplicasHere(
      std::move(devices), options.cross_device_ops);
  LogInfo("Using MirroredStrategy with devices ({})",
          distribute_internal::NamesOf(replicas->devices));
  return replicas;
}

}  // namespace

MirroredStrategy::MirroredStrategy(const MirroredStrategyOptions& options)
    : MirroredStrategy(distribute_internal::DefaultDevices(), options) {}

MirroredStrategy::MirroredStrategy(const std::vector<std::string>& devices,
                                   const MirroredStrategyOptions& options)
    : MirroredStrategy(
          distribute_internal::FindDevices("MirroredStrategy", devices),
          options) {}

MirroredStrategy::MirroredStrategy(std::vector<Device*> devices,
                                   const MirroredStrategyOptions& options)
    : MirroringStrategy(MakeReplicas(std::move(devices), options),
                        options.threads_per_replica) {}

}  // namespace lockstep
