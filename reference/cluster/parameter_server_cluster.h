// A cluster with parameter servers, as TF_CONFIG describes it.
//
//   TF_CONFIG='{"cluster": {"chief": ["a:1"], "worker": ["b:2", "c:2"],
//                           "ps": ["d:3"]},
//               "task": {"type": "worker", "index": 1}}'
//
//   const ParameterServerCluster cluster = ParameterServerClusterOfTfConfig();
//   cluster.role;              // ParameterServerRole::kWorker
//   cluster.index;             // 1
//   cluster.servers.size();    // 1
#ifndef LOCKSTEP_REFERENCE_CLUSTER_PARAMETER_SERVER_CLUSTER_H_
#define LOCKSTEP_REFERENCE_CLUSTER_PARAMETER_SERVER_CLUSTER_H_

#include <string>
#include <vector>

#include "reference/cluster/cluster_spec.h"
#include "reference/cluster/environment.h"

namespace lockstep {

// TF_CONFIG's words for them: chief, worker, ps, evaluator.
enum class ParameterServerRole { kCoordinator, kWorker, kServer, kEvaluator };

// "chief", "worker", "ps", "evaluator".
std::string_view NameOf(ParameterServerRole role);

struct ParameterServerCluster {
  ParameterServerRole role = ParameterServerRole::kCoordinator;
  int index = 0;  // among those of its role
  // The only coordinator runs the program; it need not have an address that
  // others can reach.
  WorkerAddress coordinator;
  std::vector<WorkerAddress> workers;
  std::vector<WorkerAddress> servers;

  // Where this process is to listen. REQUIRES: not an evaluator.
  const WorkerAddress& own_address() const;
};

// The cluster of TF_CONFIG. Errors: InvalidArgument for text that is not such a
// cluster: malformed, without a chief, with several, without a worker or without
// a server; FailedPrecondition without TF_CONFIG or without a cluster in it.
ParameterServerCluster ParameterServerClusterOfTfConfig(
    const Environment& environment = Environment::OfProcess());

// Checks one that the program itself describes. Errors: InvalidArgument.
void CheckParameterServerCluster(const ParameterServerCluster& cluster);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_CLUSTER_PARAMETER_SERVER_CLUSTER_H_
