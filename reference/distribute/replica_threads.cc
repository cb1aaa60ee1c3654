#include "reference/distribute/replica_threads.h"

#include <utility>

#include "reference/base/check.h"

namespace lockstep {
namespace {

thread_local bool on_replica_thread = false;

}  // namespace

// Counts the caller as a thread that shares the cores: it must not take a core
// from the replicas while they compute, nor they from it while it prepares the
// next step.
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
  } catch (...) {  // no threads for the team
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

}  // namespace lockstep
