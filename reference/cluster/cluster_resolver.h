// Finds out what cluster this process belongs to.
//
//   const SimpleClusterResolver resolver({"a:2222", "b:2222"}, WorkerId(1));
//   resolver.Resolve().num_workers();   // 2
//
// There is one class per launcher: TF_CONFIG (tf_config_cluster_resolver.h),
// torchrun and Open MPI (launcher_cluster_resolvers.h), Slurm and Kubernetes.
// EnvironmentClusterResolver picks the one that started this process. No
// resolver opens a connection or looks up a name.
#ifndef LOCKSTEP_REFERENCE_CLUSTER_CLUSTER_RESOLVER_H_
#define LOCKSTEP_REFERENCE_CLUSTER_CLUSTER_RESOLVER_H_

#include <string>
#include <string_view>
#include <vector>

#include "reference/cluster/cluster_spec.h"

namespace lockstep {

class ClusterResolver {
 public:
  virtual ~ClusterResolver() = default;

  // Reads the environment on every call, so a restarted job gets its new
  // numbers. Errors: InvalidArgument if a value is missing, malformed or
  // contradicts another; others as the classes say.
  virtual ClusterSpec Resolve() const = 0;
  // The launcher's name, for messages: "Slurm".
  virtual std::string_view name() const = 0;
};

// A cluster that the program itself describes.
class SimpleClusterResolver : public ClusterResolver {
 public:
  // addresses[w] is worker w's, as host:port. `worker` is this process.
  SimpleClusterResolver(std::vector<std::string> addresses, WorkerId worker)
      : addresses_(std::move(addresses)), worker_(worker) {}

  ClusterSpec Resolve() const override;
  std::string_view name() const override { return "the program"; }

 private:
  std::vector<std::string> addresses_;
  WorkerId worker_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_CLUSTER_CLUSTER_RESOLVER_H_
