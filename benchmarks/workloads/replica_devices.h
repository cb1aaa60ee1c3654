// The logical devices that a number of replicas trains on.
#ifndef LOCKSTEP_BENCHMARKS_WORKLOADS_REPLICA_DEVICES_H_
#define LOCKSTEP_BENCHMARKS_WORKLOADS_REPLICA_DEVICES_H_

#include <string>
#include <string_view>
#include <vector>

namespace lockstep::benchmarks {

// {"CPU:0", "CPU:1"} for "cpu" and 2. Makes logical devices where there are too
// few: CPUs as many as wanted, and the first GPU divided. Errors: NotFound where
// there is no GPU, with the reason. REQUIRES: kind is "cpu" or "gpu".
std::vector<std::string> ReplicaDevices(std::string_view kind, int count);

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_WORKLOADS_REPLICA_DEVICES_H_
