// What is known about the cluster that this process is a worker of.
//
//   const ClusterSpec spec({.num_workers = 2,
//                           .worker = WorkerId(1),
//                           .addresses = {{"a", 2222}, {"b", 2222}}});
//   spec.is_chief();                        // false
//   spec.addresses()[0].ToString();         // "a:2222"
//   ClusterSpec().num_workers();            // 1: a process for itself
//
// Workers are numbered from 0, the chief first: it is worker 0, whether a
// launcher names one (TF_CONFIG's "chief") or only counts.
#ifndef LOCKSTEP_REFERENCE_CLUSTER_CLUSTER_SPEC_H_
#define LOCKSTEP_REFERENCE_CLUSTER_CLUSTER_SPEC_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/cluster/topology.h"

namespace lockstep {

// More are refused, so that a typing error is not a request for memory.
inline constexpr int kMostWorkers = 1 << 16;
inline constexpr int kLastPort = 65535;
// Of a name in the domain name system.
inline constexpr size_t kLongestHost = 253;

struct WorkerAddress {
  std::string host;  // a name, an IPv4 or an IPv6 address, without brackets
  int port = 0;      // 1 .. kLastPort

  // "host:port", with an IPv6 address in brackets.
  std::string ToString() const;
  bool operator==(const WorkerAddress&) const = default;
};

// "a:1" and "[::1]:1". Errors, led by `operation`: InvalidArgument for
// anything else, and a port that is none.
WorkerAddress ParseWorkerAddress(std::string_view text,
                                 std::string_view operation);
// Whether the text may be a host's name or address.
bool IsHost(std::string_view text);

// What makes a ClusterSpec; only what the environment tells is set.
struct ClusterFacts {
  std::string origin = "nothing";  // where this comes from: "Slurm"
  int num_workers = 1;
  WorkerId worker = WorkerId(0);
  std::vector<WorkerAddress> addresses = {};
  std::optional<int> local_rank = {};
  std::optional<int> local_size = {};
  std::optional<std::string> master_host = {};
  std::optional<int> master_port = {};
  bool is_master_port_taken = false;
  std::string run_id = {};
};

// A value that does not change; what it says has been checked.
class ClusterSpec {
 public:
  // A process for itself.
  ClusterSpec() : ClusterSpec(ClusterFacts{}) {}
  // Errors: InvalidArgument for no workers or more than kMostWorkers, a worker
  // that is none of them, addresses that are not one per worker, malformed or
  // twice the same, a local rank that is not below the local size, a local
  // size beyond the number of workers, a master that can be none.
  explicit ClusterSpec(ClusterFacts facts);

  // Where it comes from, for messages: "TF_CONFIG", "Slurm"; "nothing" where no
  // launcher is there.
  const std::string& origin() const { return facts_.origin; }
  int num_workers() const { return facts_.num_workers; }
  WorkerId worker() const { return facts_.worker; }
  WorkerId chief() const { return WorkerId(0); }
  bool is_chief() const { return worker() == chief(); }

  // Where each worker can be reached, by its number; empty where the launcher
  // does not tell, until the workers have met.
  const std::vector<WorkerAddress>& addresses() const {
    return facts_.addresses;
  }

  // This worker's place among those on its machine, and how many these are.
  std::optional<int> local_rank() const { return facts_.local_rank; }
  std::optional<int> local_size() const { return facts_.local_size; }

  // Where the launcher would have workers meet: worker 0's machine.
  const std::optional<std::string>& master_host() const {
    return facts_.master_host;
  }
  std::optional<int> master_port() const { return facts_.master_port; }
  // The launcher itself listens on the master's port: no worker can.
  bool is_master_port_taken() const { return facts_.is_master_port_taken; }

  // Differs between two starts of a job, and is the same on all workers of
  // one; empty where the launcher does not tell.
  const std::string& run_id() const { return facts_.run_id; }

 private:
  ClusterFacts facts_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_CLUSTER_CLUSTER_SPEC_H_
