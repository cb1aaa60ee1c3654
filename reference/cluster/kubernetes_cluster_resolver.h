// A Kubernetes Indexed Job, one worker per pod.
//
//   apiVersion: batch/v1               # and a headless Service "training" whose
//   kind: Job                          # selector is job-name: fit
//   metadata: {name: fit}
//   spec:
//     completionMode: Indexed
//     completions: 4
//     parallelism: 4
//     template:
//       spec:
//         subdomain: training
//         containers:
//         - env:
//           - {name: LOCKSTEP_NUM_WORKERS, value: "4"}
//           - {name: LOCKSTEP_SERVICE, value: training}
//
// Kubernetes itself sets JOB_COMPLETION_INDEX. The manifest must pass the
// number of pods and the name of the service. A replaced pod keeps its number
// and name, and gets a new IP address.
#ifndef LOCKSTEP_REFERENCE_CLUSTER_KUBERNETES_CLUSTER_RESOLVER_H_
#define LOCKSTEP_REFERENCE_CLUSTER_KUBERNETES_CLUSTER_RESOLVER_H_

#include <string_view>

#include "reference/cluster/cluster_resolver.h"
#include "reference/cluster/environment.h"

namespace lockstep {

// Worker i's address is <job>-<i>.<service>:<port>, which is how Kubernetes
// names the pods; the job's name is in HOSTNAME, which is <job>-<index>.
// Without LOCKSTEP_SERVICE there are no addresses.
class KubernetesClusterResolver : public ClusterResolver {
 public:
  explicit KubernetesClusterResolver(
      Environment environment = Environment::OfProcess(), int port = 8888)
      : environment_(std::move(environment)), port_(port) {}

  // Also an error: InvalidArgument if LOCKSTEP_SERVICE is set and HOSTNAME is
  // not the name of a pod of the job, as with hostNetwork.
  ClusterSpec Resolve() const override;
  std::string_view name() const override { return "Kubernetes"; }

 private:
  Environment environment_;
  int port_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_CLUSTER_KUBERNETES_CLUSTER_RESOLVER_H_
