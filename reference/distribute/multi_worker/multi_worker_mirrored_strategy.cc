#include "reference/distribute/multi_worker/multi_worker_mirrored_strategy.h"

#include <fmt/core.h>

#include <charconv>
#include <chrono>
#include <exception>
#include <system_error>
#include <utility>

#include "reference/base/error.h"
#include "reference/base/log.h"
#include "reference/cluster/control/connect_control_plane.h"
#include "reference/cluster/environment_cluster_resolver.h"
#include "reference/collectives/hierarchical/hierarchical_group.h"
#include "reference/collectives/hierarchical/worker_group.h"
#include "reference/collectives/in_process_group.h"
#include "reference/collectives/rendezvous.h"

namespace lockstep {
namespace {

void Check(const Topology& topology, const std::vector<Device*>& devices,
           const Group* between) {
  if (std::ssize(devices) != topology.num_local_replicas()) {
    throw InvalidArgument(
        "[MultiWorkerMirroredStrategy] requires a device for each of {} "
        "replicas "
        "of worker {}, got {}",
        topology.num_local_replicas(), topology.worker().value(),
        devices.size());
  }
  if (between != nullptr && between->size() == topology.num_workers() &&
      between->rank() == topology.worker().value()) {
    return;
  }
  throw InvalidArgument(
      "[MultiWorkerMirroredStrategy] requires a group of {} workers in which "
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
  LogInfo(
      "Using MultiWorkerMirroredStrategy on worker {} of {}, {} of {} "
      "replicas, "
      "with devices ({}), tensors by {}",
      topology.worker().value(), topology.num_workers(),
      topology.num_local_replicas(), topology.num_replicas_in_sync(),
      distribute_internal::NamesOf(replicas->devices),
      connected.between->algorithm());
  return replicas;
}

// Announces on destruction that this worker has left, but not during an
// exception: then the others must find it lost.
std::shared_ptr<ControlPlane> LeavingAtTheEnd(
    std::unique_ptr<ControlPlane> control) {
  const auto leave = [](ControlPlane* plane) {
    const std::unique_ptr<ControlPlane> owned(plane);
    if (std::uncaught_exceptions() > 0) return;
    try {
      owned->Leave();
    } catch (const Error& error) {
      LogWarning("[MultiWorkerMirroredStrategy] {}", error.what());
    }
  };
  return {control.release(), leave};
}

// The numbers of replicas of all workers.
std::vector<int> ReplicasByWorker(
    ControlPlane& control, int here,
    const MultiWorkerMirroredStrategyOptions& options) {
  const Deadline deadline =
      std::chrono::steady_clock::now() + options.control.join_timeout;
  std::vector<int> replicas;
  for (const std::string& text :
       control.Exchange("replicas", fmt::format("{}", here), deadline)) {
    int count = 0;
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), count);
    if (error != std::errc() || end != text.data() + text.size()) {
      throw FailedPrecondition(
          "[MultiWorkerMirroredStrategy] worker {} announced '{}' replicas, "
          "which is not a number; does it run the same program?",
          replicas.size(), text);
    }
    replicas.push_back(count);
  }
  return replicas;
}

}  // namespace

ConnectedWorkers ConnectWorkers(
    const ClusterResolver& cluster,
    const MultiWorkerMirroredStrategyOptions& options) {
  const int here = static_cast<int>(DevicesHere(options).size());
  std::shared_ptr<ControlPlane> control =
      LeavingAtTheEnd(ConnectControlPlane(cluster.Resolve(), options.control));
  const Topology topology(ReplicasByWorker(*control, here, options),
                          control->worker());
  if (topology.num_workers() == 1) {
    auto alone = std::make_shared<InProcessGroup>(
        std::make_shared<Rendezvous>(1), 0,
        std::make_shared<SharedMemoryAllReduce>());
    return {topology, std::move(alone), std::move(control)};
  }
  // The group uses the control plane until it is destroyed, so it shares
  // ownership.
  std::unique_ptr<Group> made = MakeGroupOfWorkers(
      *control, options.communication, *DevicesHere(options).front(),
      std::chrono::steady_clock::now() + options.control.join_timeout);
  std::shared_ptr<Group> between(made.release(), [control](Group* group) {
    std::default_delete<Group>()(group);
  });
  return {topology, std::move(between), std::move(control)};
}

MultiWorkerMirroredStrategy::MultiWorkerMirroredStrategy(
    const MultiWorkerMirroredStrategyOptions& options)
    : MultiWorkerMirroredStrategy(EnvironmentClusterResolver(), options) {}

MultiWorkerMirroredStrategy::MultiWorkerMirroredStrategy(
    const ClusterResolver& cluster,
    const MultiWorkerMirroredStrategyOptions& options)
    : MultiWorkerMirroredStrategy(ConnectWorkers(cluster, options), options) {}

MultiWorkerMirroredStrategy::MultiWorkerMirroredStrategy(
    const ConnectedWorkers& workers,
    const MultiWorkerMirroredStrategyOptions& options)
    : MirroringStrategy(MakeReplicas(workers, options),
                        options.threads_per_replica),
      control_(workers.control) {
  if (!control_) return;
  // Wakes the threads that wait for a lost worker; they then ask for the
  // reason. The replicas own the control plane, so it must not own them.
  const std::weak_ptr<const Replicas> weak = replicas();
  watch_ = control_->OnFailure([weak](const Error&) {
    const ReplicasPtr replicas = weak.lock();
    if (replicas) replicas->groups[0]->Abort();
  });
}

MultiWorkerMirroredStrategy::~MultiWorkerMirroredStrategy() = default;

}  // namespace lockstep
