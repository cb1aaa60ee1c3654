// Which workers and replicas there are, and which of them are here.
//
//   Topology::OneWorker(4);               // this process has all 4 replicas
//   Topology two({2, 3}, WorkerId(1));    // worker 0 has 2 replicas, we have 3
//   two.num_replicas_in_sync();           // 5
//   two.num_local_replicas();             // 3
//   two.GlobalId(LocalIndex(0));          // ReplicaId(2)
//   two.FindLocal(ReplicaId(1));          // nullopt: it is on worker 0
//   two.is_chief();                       // false
//
// Replicas are numbered through all workers, worker by worker. A topology is a
// value, the same on every worker but for which of them is here.
#ifndef LOCKSTEP_REFERENCE_CLUSTER_TOPOLOGY_H_
#define LOCKSTEP_REFERENCE_CLUSTER_TOPOLOGY_H_

#include <compare>
#include <optional>
#include <vector>

namespace lockstep {

// A replica's place among those of this worker. It is an index and counts like
// one: into devices, copies of a variable, entries of a PerReplica.
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

// A replica's number among those of all workers. It is a name: on several
// workers it is no index into anything, so it turns into nothing by itself.
class ReplicaId {
 public:
  explicit constexpr ReplicaId(int value) : value_(value) {}
  explicit ReplicaId(LocalIndex) = delete;  // ask the topology

  // The number as the documents count it, 0 .. num_replicas_in_sync - 1.
  constexpr int value() const { return value_; }
  auto operator<=>(const ReplicaId&) const = default;

 private:
  int value_;
};

// A worker's number; where a cluster names a chief, that is worker 0.
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
  // replicas[w] of them on worker w; this process is worker `here`. Errors:
  // InvalidArgument for no workers, one without replicas, or a `here` that is
  // none of them.
  Topology(std::vector<int> replicas, WorkerId here);

  int num_workers() const { return static_cast<int>(first_.size()) - 1; }
  WorkerId worker() const { return here_; }
  // Writes what is written once: checkpoints, summaries.
  bool is_chief() const { return here_ == WorkerId(0); }

  int num_replicas_in_sync() const { return first_.back(); }
  int num_local_replicas() const {
    return first_[here_.value() + 1] - first_[here_.value()];
  }

  // Errors, of all: OutOfRange for a replica that is not there.
  ReplicaId GlobalId(LocalIndex replica) const;
  // nullopt where it is another worker's.
  std::optional<LocalIndex> FindLocal(ReplicaId replica) const;
  WorkerId WorkerOf(ReplicaId replica) const;

  bool operator==(const Topology&) const = default;

 private:
  std::vector<int> first_;  // replica of each worker; the number of all
  WorkerId here_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_CLUSTER_TOPOLOGY_H_
