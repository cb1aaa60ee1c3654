// What is known about the cluster that this process is a worker of.
//
//   const ClusterSpec spec({.num_workers = 2,
//                           .worker = WorkerId(1),
//                           .addresses = {{"a", 2222}, {"b", 2222}}});
//   spec.is_chief();                        // false
//   spec.addresses()[0].ToString();         // "a:2222"
//   ClusterSpec().num_workers();            // 1: a process on its own
//
// Workers are numbered from 0. The chief is worker 0, whether or not the
// launcher names a chief (as TF_CONFIG does).
#ifndef LOCKSTEP_REFERENCE_CLUSTER_CLUSTER_SPEC_H_
#define LOCKSTEP_REFERENCE_CLUSTER_CLUSTER_SPEC_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/cluster/topology.h"

namespace lockstep {

// A larger number is refused: it is a typing error, and would cost memory.
inline constexpr int kMostWorkers = 1 << 16;
inline constexpr int kLastPort = 65535;
// The limit of the domain name system.
inline constexpr size_t kLongestHost = 253;

struct WorkerAddress {
  std::string host;  // a name, an IPv4 or an IPv6 address, without brackets
  int port = 0;      // 1 .. kLastPort

  // "host:port", with an IPv6 address in brackets.
  std::string ToString() const;
  bool operator==(const WorkerAddress&) const = default;
};

// Parses "a:1" and "[::1]:1". Errors, which start with `operation`:
// InvalidArgument for any other text or an invalid port.
WorkerAddress ParseWorkerAddress(std::string_view text,
                                 std::string_view operation);
// Whether the text may be a host's name or address.
bool IsHost(std::string_view text);

// The fields of a ClusterSpec. Only those that the environment provides are
// set.
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

// An immutable, validated value.
class ClusterSpec {
 public:
  // A process on its own.
  ClusterSpec() : ClusterSpec(ClusterFacts{}) {}
  // Errors: InvalidArgument unless there are 1 to kMostWorkers workers and this
  // is one of them; for addresses that are malformed, repeated or not one per
  // worker; a local rank that is not below the local size; a local size above
  // the number of workers; an invalid master.
  explicit ClusterSpec(ClusterFacts facts);

  // The source, for messages: "TF_CONFIG", "Slurm"; "nothing" without a
  // launcher.
  const std::string& origin() const { return facts_.origin; }
  int num_workers() const { return facts_.num_workers; }
  WorkerId worker() const { return facts_.worker; }
  WorkerId chief() const { return WorkerId(0); }
  bool is_chief() const { return worker() == chief(); }

  // addresses()[w] is where worker w can be reached. Empty if the launcher does
  // not provide addresses.
  const std::vector<WorkerAddress>& addresses() const {
    return facts_.addresses;
  }

  // This worker's index among the workers on its machine, and their number.
  std::optional<int> local_rank() const { return facts_.local_rank; }
  std::optional<int> local_size() const { return facts_.local_size; }

  // Where the launcher expects workers to meet: worker 0's machine.
  const std::optional<std::string>& master_host() const {
    return facts_.master_host;
  }
  std::optional<int> master_port() const { return facts_.master_port; }
  // The launcher itself listens on the master's port, so no worker can.
  bool is_master_port_taken() const { return facts_.is_master_port_taken; }

  // The same on all workers of a run, and different in every run of a job.
  // Empty if the launcher does not provide one.
  const std::string& run_id() const { return facts_.run_id; }

 private:
  ClusterFacts facts_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_CLUSTER_CLUSTER_SPEC_H_
