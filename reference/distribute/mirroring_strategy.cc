#include "reference/distribute/mirroring_strategy.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <exception>
#include <thread>
#include <utility>

#include "reference/base/error.h"
#include "reference/collectives/in_process_group.h"
#include "reference/collectives/rendezvous.h"
#include "reference/distribute/variables/distributed_variable_creation.h"

namespace lockstep {

namespace distribute_internal {

std::vector<Device*> DefaultDevices() {
  const std::vector<Device*> all = ListLogicalDevices();
  std::vector<Device*> chosen;
  for (const DeviceKind kind : {DeviceKind::kGpu, DeviceKind::kCpu}) {
    for (Device* device : all) {
      if (device->kind() == kind) chosen.push_back(device);
    }
    if (!chosen.empty()) break;
  }
  return chosen;
}

std::vector<Device*> FindDevices(std::string_view strategy,
                                 const std::vector<std::string>& names) {
  if (names.empty()) {
    throw InvalidArgument(
        "[{}] requires at least one device, got an empty list; without a list "
        "all devices are used",
        strategy);
  }
  std::vector<Device*> devices;
  for (const std::string& name : names) {
    Device& device = FindDevice(name);
    if (std::ranges::find(devices, &device) != devices.end()) {
      throw InvalidArgument(
          "[{}] no duplicates allowed in `devices`, got {} twice", strategy,
          device.name());
    }
    if (!devices.empty() && devices[0]->kind() != device.kind()) {
      throw InvalidArgument(
          "[{}] devices must be all CPUs or all GPUs, got {} "
          "and {}",
          strategy, devices[0]->name(), device.name());
    }
    devices.push_back(&device);
  }
  return devices;
}

std::shared_ptr<Replicas> MakeReplicasHere(
    std::vector<Device*> devices,
    std::shared_ptr<const CrossDeviceOps> cross_device_ops) {
  const int count = static_cast<int>(devices.size());
  auto rendezvous = std::make_shared<Rendezvous>(count);
  auto groups = MakeGroups(devices, std::move(cross_device_ops), rendezvous);
  return std::make_shared<Replicas>(
      Replicas{.topology = Topology::OneWorker(count),
               .devices = std::move(devices),
               .groups = std::move(groups),
               .rendezvous = std::move(rendezvous)});
}

std::string NamesOf(const std::vector<Device*>& devices) {
  std::vector<std::string> names;
  for (const Device* device : devices) names.push_back(device->name());
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace distribute_internal

namespace {

int ThreadsPerReplica(int wanted, int replicas) {
  if (wanted < 0) {
    throw InvalidArgument(
        "[Strategy] threads_per_replica must not be negative, got {}", wanted);
  }
  if (wanted > 0) return wanted;
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  return std::max(1, cores / replicas);
}

// By code, not by type: user code may have extended the message.
bool IsPeerFailure(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const Error& e) {
    return e.code() == Code::kCancelled;
  } catch (...) {
    return false;
  }
}

// The error of the lowest replica that is a cause. A consequence only if there
// is no cause, and the reason why another worker's replica failed is unknown.
void RethrowCause(const std::vector<std::exception_ptr>& errors,
                  const WorkerGroup* workers) {
  for (const bool consequences : {false, true}) {
    const auto failed = [](const auto& error) { return error != nullptr; };
    if (consequences && workers && std::ranges::any_of(errors, failed)) {
      workers->Check();
    }
    for (const std::exception_ptr& error : errors) {
      if (error && IsPeerFailure(error) == consequences) {
        std::rethrow_exception(error);
      }
    }
  }
}

}  // namespace

MirroringStrategy::MirroringStrategy(ReplicasPtr replicas,
                                     int threads_per_replica)
    : Strategy(std::move(replicas)),
      threads_per_replica_(ThreadsPerReplica(threads_per_replica,
                                             topology().num_local_replicas())),
      threads_(this->devices(), threads_per_replica_) {
  for (LocalIndex r(0); r < topology().num_local_replicas(); ++r) {
    contexts_.push_back(
        std::make_unique<ReplicaContext>(*this, this->replicas(), r));
  }
}

MirroringStrategy::~MirroringStrategy() = default;

VariablePtr MirroringStrategy::CreateVariable(const VariableOptions& options) {
  return distribute_internal::CreateDistributedVariable(replicas(), options);
}

void MirroringStrategy::CheckMayRun() const {
  if (ReplicaThreads::OnReplicaThread()) {
    throw FailedPrecondition(
        "[Run] inside Run it requires being in cross-replica context on the "
        "caller's thread; use {}",
        "GetReplicaContext().MergeCall()");
  }
  const StrategyContext* current = StrategyContext::Current();
  if (current != nullptr && &current->strategy() != this) {
    throw FailedPrecondition(
        "[Run] Mixing different Strategy objects: one over {} replicas is in "
        "force, got one over {}",
        current->num_replicas_in_sync(), num_replicas_in_sync());
  }
}

void MirroringStrategy::RunReplicas(const ReplicaBody& body) {
  CheckMayRun();
  std::lock_guard lock(run_mutex_);
  replicas()->rendezvous->Reset();
  const std::vector<std::exception_ptr> errors =
      threads_.Run([&](int replica) { RunOne(LocalIndex(replica), body); });
  RethrowCause(errors, replicas()->workers.get());
  for (const auto& group : replicas()->groups) group->Check();
}

void MirroringStrategy::RunOne(LocalIndex replica, const ReplicaBody& body) {
  try {
    DistributionContextScope context(*contexts_[replica]);
    VariableCreatorScope creator([this](const VariableOptions& options) {
      return CreateVariable(options);
    });
    body(replica);
    replicas()->rendezvous->Leave();
  } catch (...) {
    replicas()->groups[replica]->Abort();
    throw;
  }
}

}  // namespace lockstep
