// The processes of a cluster on this machine, for a first try without a
// launcher.
//
//   int main() {
//     StartLocalCluster(2, 1);   // two workers, one server
//     const ParameterServerCluster cluster = ParameterServerClusterOfTfConfig();
//
// continues in four processes, each with its own TF_CONFIG: this one is the
// coordinator.
#ifndef LOCKSTEP_REFERENCE_PARAMETER_SERVER_LOCAL_LOCAL_CLUSTER_H_
#define LOCKSTEP_REFERENCE_PARAMETER_SERVER_LOCAL_LOCAL_CLUSTER_H_

#include <sys/types.h>

#include <vector>

namespace lockstep {

// Forks; the others die with this process. REQUIRES: the process has no other
// threads yet. Returns the servers' processes, to the coordinator. Errors:
// Unavailable if there is no free port; ResourceExhausted if a process cannot be
// started.
std::vector<pid_t> StartLocalCluster(int workers, int servers);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_PARAMETER_SERVER_LOCAL_LOCAL_CLUSTER_H_
