// A cluster with parameter servers whose processes are all on this machine.
//
//   const ParameterServerCluster cluster = LocalAddresses(2, 1);
//   cluster.servers[0].ToString();      // "127.0.0.1:40123"
//   TfConfigOf(cluster, ParameterServerRole::kWorker, 1);
//       // R"({"cluster": {...}, "task": {"index": 1, "type": "worker"}})"
#ifndef LOCKSTEP_REFERENCE_PARAMETER_SERVER_LOCAL_LOCAL_ADDRESSES_H_
#define LOCKSTEP_REFERENCE_PARAMETER_SERVER_LOCAL_LOCAL_ADDRESSES_H_

#include <string>

#include "reference/cluster/parameter_server_cluster.h"

namespace lockstep {

// As the coordinator sees it. All processes have different ports, on which none
// listens now. Errors: Unavailable if there are not enough.
ParameterServerCluster LocalAddresses(int workers, int servers);

// The value of TF_CONFIG for a process of the cluster.
std::string TfConfigOf(const ParameterServerCluster& cluster,
                       ParameterServerRole role, int index);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_PARAMETER_SERVER_LOCAL_LOCAL_ADDRESSES_H_
