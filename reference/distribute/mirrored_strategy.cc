#include "reference/distribute/mirrored_strategy.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <exception>
#include <thread>
#include <utility>

#include "reference/base/check.h"
#include "reference/base/error.h"
#include "reference/base/log.h"
#include "reference/base/threads.h"
#include "reference/collectives/in_process_group.h"
#include "reference/distribute/variables/distributed_variable_creation.h"

namespace lockstep {
namespace {

thread_local bool on_replica_thread = false;

}  // namespace

// The caller counts as a thread that shares the cores: while replicas compute
// it must not take one from them, and while it prepares the next step they must
// not either.
ReplicaThreads::ReplicaThreads(std::vector<Device*> devices,
                               int threads_per_replica)
    : devices_(std::move(devices)),
      threads_per_replica_(threads_per_replica),
      spins_(SpinsFor(static_cast<int>(devices_.size()) * threads_per_replica +
                      1)),
      pending_(static_cast<int32_t>(devices_.size())),
      errors_(devices_.size()),
      threads_(
          "MirroredStrategy", static_cast<int>(devices_.size()),
          [this](int replica) { Live(replica); }, [this] { Stop(); }) {
  LOCKSTEP_CHECK(!devices_.empty() && threads_per_replica >= 1);
  WaitForAll();  // until each has its team
  for (const std::exception_ptr& error : errors_) {
    if (error) std::rethrow_exception(error);
  }
}

std::vector<std::exception_ptr> ReplicaThreads::Run(
    const std::function<void(int)>& body) {
  body_ = &body;
  pending_.store(static_cast<int32_t>(devices_.size()));
  generation_.fetch_add(1);
  generation_.notify_all();
  WaitForAll();
  return std::exchange(errors_,
                       std::vector<std::exception_ptr>(devices_.size()));
}

bool ReplicaThreads::OnReplicaThread() { return on_replica_thread; }

void ReplicaThreads::WaitForAll() {
  int32_t left = pending_.load();
  while (left != 0) left = WaitForChange(pending_, left, spins_);
}

void ReplicaThreads::Stop() {
  stop_.store(true);
  generation_.fetch_add(1);
  generation_.notify_all();
}

void ReplicaThreads::Live(int replica) {
  on_replica_thread = true;
  const FlushDenormals flush;
  try {
    ThreadTeam team(threads_per_replica_);
    ThreadTeamScope team_scope(&team);
    DeviceScope device_scope(*devices_[replica]);
    Done();
    Loop(replica);
  } catch (...) {  // there are no threads for the team
    errors_[replica] = std::current_exception();
    Done();
  }
}

void ReplicaThreads::Loop(int replica) {
  uint32_t seen = 0;
  while (true) {
    seen = WaitForChange(generation_, seen, spins_);
    if (stop_.load()) return;
    try {
      (*body_)(replica);
    } catch (...) {
      errors_[replica] = std::current_exception();
    }
    Done();
  }
}

void ReplicaThreads::Done() {
  if (pending_.fetch_sub(1) == 1) pending_.notify_one();
}

namespace {

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

std::vector<Device*> FindDevices(const std::vector<std::string>& names) {
  if (names.empty()) {
    throw InvalidArgument(
        "[MirroredStrategy] wanted at least one device, got an empty list; "
        "without a list all devices are used");
  }
  std::vector<Device*> devices;
  for (const std::string& name : names) {
    Device& device = FindDevice(name);
    if (std::ranges::find(devices, &device) != devices.end()) {
      throw InvalidArgument(
          "[MirroredStrategy] no duplicates allowed in `devices`, got {} twice",
          device.name());
    }
    if (!devices.empty() && devices[0]->kind() != device.kind()) {
      throw InvalidArgument(
          "[MirroredStrategy] devices must be all CPUs or all GPUs, got {} "
          "and {}",
          devices[0]->name(), device.name());
    }
    devices.push_back(&device);
  }
  return devices;
}

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

int ThreadsPerReplica(const MirroredStrategyOptions& options, int replicas) {
  if (options.threads_per_replica < 0) {
    throw InvalidArgument(
        "[MirroredStrategy] threads_per_replica must not be negative, got {}",
        options.threads_per_replica);
  }
  if (options.threads_per_replica > 0) return options.threads_per_replica;
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  return std::max(1, cores / replicas);
}

// By its code, not its type: user code may have put more into the message.
bool IsPeerFailure(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const Error& e) {
    return e.code() == Code::kCancelled;
  } catch (...) {
    return false;
  }
}

// The lowest replica's cause; consequences only where nothing else is left.
void RethrowCause(const std::vector<std::exception_ptr>& errors) {
  for (const bool consequences : {false, true}) {
    for (const std::exception_ptr& error : errors) {
      if (error && IsPeerFailure(error) == consequences) {
        std::rethrow_exception(error);
      }
    }
  }
}

}  // namespace

MirroredStrategy::MirroredStrategy(const MirroredStrategyOptions& options)
    : MirroredStrategy(MakeReplicas(DefaultDevices(), options), options) {}

MirroredStrategy::MirroredStrategy(const std::vector<std::string>& devices,
                                   const MirroredStrategyOptions& options)
    : MirroredStrategy(MakeReplicas(FindDevices(devices), options), options) {}

MirroredStrategy::MirroredStrategy(ReplicasPtr replicas,
                                   const MirroredStrategyOptions& options)
    : Strategy(std::move(replicas)),
      threads_per_replica_(
          ThreadsPerReplica(options, topology().num_local_replicas())),
      threads_(this->devices(), threads_per_replica_) {
  for (LocalIndex r(0); r < topology().num_local_replicas(); ++r) {
    contexts_.push_back(
        std::make_unique<ReplicaContext>(*this, this->replicas(), r));
  }
}

MirroredStrategy::~MirroredStrategy() = default;

VariablePtr MirroredStrategy::CreateVariable(const VariableOptions& options) {
  return distribute_internal::CreateDistributedVariable(replicas(), options);
}

void MirroredStrategy::CheckMayRun() const {
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

void MirroredStrategy::RunReplicas(const ReplicaBody& body) {
  CheckMayRun();
  std::lock_guard lock(run_mutex_);
  replicas()->rendezvous->Reset();
  const std::vector<std::exception_ptr> errors =
      threads_.Run([&](int replica) { RunOne(LocalIndex(replica), body); });
  RethrowCause(errors);
  for (const auto& group : replicas()->groups) group->Check();
}

void MirroredStrategy::RunOne(LocalIndex replica, const ReplicaBody& body) {
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
