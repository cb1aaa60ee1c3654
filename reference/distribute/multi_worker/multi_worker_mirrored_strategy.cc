#include "reference/distribute/multi_worker/multi_worker_mirrored_strategy.h"

#include <fmt/ranges.h>

#include <utility>

#include "reference/base/error.h"
#include "reference/base/log.h"
#include "reference/collectives/hierarchical/hierarchical_group.h"
#include "reference/collectives/hierarchical/worker_group.h"
#include "reference/collectives/rendezvous.h"

namespace lockstep {
namespace {

void Check(const Topology& topology, const std::vector<Device*>& devices,
           const Group* between) {
  if (std::ssize(devices) != topology.num_local_replicas()) {
    throw InvalidArgument(
        "[MultiWorkerMirroredStrategy] wanted a device for each of {} replicas "
        "of worker {}, got {}",
        topology.num_local_replicas(), topology.worker().value(),
        devices.size());
  }
  if (between != nullptr && between->size() == topology.num_workers() &&
      between->rank() == topology.worker().value()) {
    return;
  }
  throw InvalidArgument(
      "[MultiWorkerMirroredStrategy] wanted a group of {} workers in which "
      "this "
      "is worker {}, got {} of {}",
      topology.num_workers(), topology.worker().value(),
      between ? between->rank() : 0, between ? between->size() : 0);
}

std::vector<Device*> DevicesHere(
    const MultiWorkerMirroredStrategyOptions& options) {
  if (options.devices.empty()) return distribute_internal::DefaultDevices();
  return distribute_internal::FindDevices("MultiWorkerMirroredStrategy",
                                          options.devices);
}

ReplicasPtr MakeReplicas(const ConnectedWorkers& connected,
                         const MultiWorkerMirroredStrategyOptions& options) {
  const Topology& topology = connected.topology;
  std::vector<Device*> devices = DevicesHere(options);
  Check(topology, devices, connected.between.get());
  auto here = std::make_shared<Rendezvous>(topology.num_local_replicas());
  auto workers = std::make_shared<WorkerGroup>(
      connected.between, options.communication.timeout, connected.control);
  auto groups = MakeHierarchicalGroups(topology, here, workers);
  auto replicas =
      std::make_shared<Replicas>(Replicas{.topology = topology,
                                          .devices = std::move(devices),
                                          .groups = std::move(groups),
                                          .rendezvous = std::move(here),
                                          .workers = std::move(workers)});
  std::vector<std::string> used;
  for (const Device* device : replicas->devices) used.push_back(device->name());
  LogInfo(
      "Using MultiWorkerMirroredStrategy on worker {} of {}, {} of {} "
      "replicas, "
      "with devices ({})",
      topology.worker().value(), topology.num_workers(),
      topology.num_local_replicas(), topology.num_replicas_in_sync(),
      fmt::join(used, ", "));
  return replicas;
}

}  // namespace

MultiWorkerMirroredStrategy::MultiWorkerMirroredStrategy(
    const ConnectedWorkers& workers,
    const MultiWorkerMirroredStrategyOptions& options)
    : MirroringStrategy(MakeReplicas(workers, options),
                        options.threads_per_replica),
      control_(workers.control) {
  if (!control_) return;
  // Whoever waits for a worker that is gone is woken, and asks why. The replicas
  // hold the control plane, so it must not hold them.
  const std::weak_ptr<const Replicas> weak = replicas();
  watch_ = control_->OnFailure([weak](const Error&) {
    const ReplicasPtr replicas = weak.lock();
    if (replicas) replicas->groups[0]->Abort();
  });
}

MultiWorkerMirroredStrategy::~MultiWorkerMirroredStrategy() = default;

}  // namespace lockstep
