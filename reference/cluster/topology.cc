#include "reference/cluster/topology.h"

#include <algorithm>

#include "reference/base/error.h"

namespace lockstep {

Topology Topology::OneWorker(int replicas) {
  return Topology({replicas}, WorkerId(0));
}

Topology::Topology(std::vector<int> replicas, WorkerId here)
    : first_{0}, here_(here) {
  const int workers = static_cast<int>(replicas.size());
  if (here.value() < 0 || here.value() >= workers) {
    throw InvalidArgument("[Topology] this is one of {} workers, got worker {}",
                          workers, here.value());
  }
  for (const int count : replicas) {
    if (count < 1) {
      throw InvalidArgument(
          "[Topology] a worker has at least 1 replica, got {} on worker {}",
          count, num_workers());
    }
    first_.push_back(first_.back() + count);
  }
}

ReplicaId Topology::GlobalId(LocalIndex replica) const {
  if (replica < 0 || replica >= num_local_replicas()) {
    throw OutOfRange(
        "[Topology] wanted one of {} replicas of worker {}, got {}",
        num_local_replicas(), here_.value(), int{replica});
  }
  return ReplicaId(first_[here_.value()] + replica);
}

std::optional<LocalIndex> Topology::FindLocal(ReplicaId replica) const {
  if (WorkerOf(replica) != here_) return std::nullopt;
  return LocalIndex(replica.value() - first_[here_.value()]);
}

WorkerId Topology::WorkerOf(ReplicaId replica) const {
  const int id = replica.value();
  if (id < 0 || id >= num_replicas_in_sync()) {
    throw OutOfRange("[Topology] wanted one of {} replicas, got replica {}",
                     num_replicas_in_sync(), id);
  }
  const auto after = std::ranges::upper_bound(first_, id);
  return WorkerId(static_cast<int>(after - first_.begin()) - 1);
}

}  // namespace lockstep
