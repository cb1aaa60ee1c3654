#include "reference/distribute/mirrored_strategy.h"

#include <fmt/ranges.h>

#include <utility>

#include "reference/base/log.h"
#include "reference/collectives/in_process_group.h"

namespace lockstep {
namespace {

ReplicasPtr MakeReplicas(std::vector<Device*> devices,
                         const MirroredStrategyOptions& options) {
  const int count = static_cast<int>(devices.size());
  auto rendezvous = std::make_shared<Rendezvous>(count);
  auto groups = MakeGroups(devices, options.cross_device_ops, rendezvous);
  auto replicas = std::make_shared<Replicas>(
      Replicas{.topology = Topology::OneWorker(count),
               .devices = std::move(devices),
               .groups = std::move(groups),
               .rendezvous = std::move(rendezvous)});
  std::vector<std::string> used;
  for (const Device* device : replicas->devices) used.push_back(device->name());
  LogInfo("Using MirroredStrategy with devices ({})", fmt::join(used, ", "));
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
