#include "reference/distribute/replica_threads.h"

#include <utility>

#include "reference/base/check.h"
#include "reference/base/spin_wait.h"
#include "reference/base/thread_team.h"

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
                      1)) {
  LOCKSTEP_CHECK(!devices_.empty() && threads_per_replica >= 1);
  for (int replica = 0; replica < static_cast<int>(devices_.size());
       ++replica) {
    threads_.emplace_back([this, replica] { Loop(replica); });
  }
}

ReplicaThreads::~ReplicaThreads() {
  stop_.store(true);
  generation_.fetch_add(1);
  generation_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ReplicaThreads::Run(const std::function<void(int)>& body) {
  body_ = &body;
  pending_.store(static_cast<int32_t>(threads_.size()));
  generation_.fetch_add(1);
  generation_.notify_all();
  int32_t left = pending_.load();
  while (left != 0) left = WaitForChange(pending_, left, spins_);
}

bool ReplicaThreads::OnReplicaThread() { return on_replica_thread; }

void ReplicaThreads::Loop(int replica) {
  on_replica_thread = true;
  ThreadTeam team(threads_per_replica_);
  ThreadTeamScope team_scope(&team);
  DeviceScope device_scope(*devices_[replica]);
  uint32_t seen = 0;
  while (true) {
    seen = WaitForChange(generation_, seen, spins_);
    if (stop_.load()) return;
    (*body_)(replica);
    if (pending_.fetch_sub(1) == 1) pending_.notify_one();
  }
}

}  // namespace lockstep
