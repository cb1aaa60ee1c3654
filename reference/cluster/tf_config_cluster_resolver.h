// The cluster that TF_CONFIG describes, as TensorFlow documents it.
//
//   TF_CONFIG='{"cluster": {"chief": ["a:1"], "worker": ["b:2", "c:3"]},
//               "task": {"type": "worker", "index": 0}}'
//
//   TfConfigClusterResolver(Environment::OfProcess()).Resolve();
//   // worker 1 of 3: the chief is worker 0, workers follow it in their order
#ifndef LOCKSTEP_REFERENCE_CLUSTER_TF_CONFIG_CLUSTER_RESOLVER_H_
#define LOCKSTEP_REFERENCE_CLUSTER_TF_CONFIG_CLUSTER_RESOLVER_H_

#include <string_view>

#include "reference/cluster/cluster_resolver.h"
#include "reference/cluster/environment.h"

namespace lockstep {

// Without TF_CONFIG, or without a cluster in it (`{}`), the process is on its
// own. Evaluators may be listed, but are not workers. Fields other than
// "cluster" and "task" ("environment", "rpc_layer") are ignored.
class TfConfigClusterResolver : public ClusterResolver {
 public:
  explicit TfConfigClusterResolver(
      Environment environment = Environment::OfProcess())
      : environment_(std::move(environment)) {}

  // Errors: InvalidArgument for malformed JSON (with the position) or another
  // structure; Unimplemented for parameter servers, for a task that is an
  // evaluator, and for a cluster that only lists some of its tasks
  // ("sparseCluster", or a map from index to address).
  ClusterSpec Resolve() const override;
  std::string_view name() const override { return "TF_CONFIG"; }

 private:
  Environment environment_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_CLUSTER_TF_CONFIG_CLUSTER_RESOLVER_H_
