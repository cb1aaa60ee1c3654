// The workers and replicas of a job, and which of them this process has.
//
//   Topology::OneWorker(4);               // this process has all 4 replicas
//   Topology two({2, 3}, WorkerId(1));    // worker 0 has 2 replicas, we have 3
//   two.num_replicas_in_sync();           // 5
//   two.num_local_replicas();             // 3
//   two.GlobalId(LocalIndex(0));          // ReplicaId(2)
//   two.FindLocal(ReplicaId(1));          // nullopt: it is on worker 0
//   two.is_chief();                       // false
//
// Replicas are numbered consecutively, worker by worker. The topologies of all
// workers are equal except for worker().
#ifndef LOCKSTEP_REFERENCE_CLUSTER_TOPOLOGY_H_
#define LOCKSTEP_REFERENCE_CLUSTER_TOPOLOGY_H_

#include <compare>
#include <optional>
#include <vector>

namespace lockstep {

// A replica's index among those of this worker: into devices, copies of a
// variable, entries of a PerReplica.
//
//   for (LocalIndex r(0); r < topology.num_local_replicas(); ++r) copies[r];
class LocalIndex {
 public:
  explicit constexpr LocalIndex(int value) : value_(value) {}

  constexpr operator int() const { return value_; }  // NOLINT: an index
  constexpr LocalIndex& operator++() {
    ++value_;
    return *this;
  }

 private:
  int value_;
};

// A replica's number among those of all workers. It is a name, not an index, so
// it does not convert to an integer implicitly.
class ReplicaId {
 public:
  explicit constexpr ReplicaId(int value) : value_(value) {}
  explicit ReplicaId(LocalIndex) = delete;  // ask the topology

  // The documented number, 0 .. num_replicas_in_sync - 1.
  constexpr int value() const { return value_; }
  auto operator<=>(const ReplicaId&) const = default;

 private:
  int value_;
};

// A worker's number. The chief is worker 0.
class WorkerId {
 public:
  explicit constexpr WorkerId(int value) : value_(value) {}

  constexpr int value() const { return value_; }
  auto operator<=>(const WorkerId&) const = default;

 private:
  int value_;
};

class Topology {
 public:
  // One process that has all replicas. Errors: InvalidArgument for fewer than
  // one.
  static Topology OneWorker(int replicas);
  // Worker w has replicas[w] replicas; this process is worker `here`. Errors:
  // InvalidArgument for no workers, a worker without replicas, or an invalid
  // `here`.
  Topology(std::vector<int> replicas, WorkerId here);

  int num_workers() const { return static_cast<int>(first_.size()) - 1; }
  WorkerId worker() const { return here_; }
  // The chief writes what is written once per job: checkpoints, summaries.
  bool is_chief() const { return here_ == WorkerId(0); }

  int num_replicas_in_sync() const { return first_.back(); }
  int num_local_replicas() const {
    return first_[here_.value() + 1] - first_[here_.value()];
  }

  // All throw OutOfRange for a replica that does not exist.
  ReplicaId GlobalId(LocalIndex replica) const;
  // nullopt if another worker has it.
  std::optional<LocalIndex> FindLocal(ReplicaId replica) const;
  WorkerId WorkerOf(ReplicaId replica) const;

  bool operator==(const Topology&) const = default;

 private:
  std::vector<int> first_;  // replica of each worker, then their number
  WorkerId here_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_CLUSTER_TOPOLOGY_H_
