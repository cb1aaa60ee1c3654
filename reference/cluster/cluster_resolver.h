// Finds out what cluster this process belongs to.
//
//   const SimpleClusterResolver resolver({"a:2222", "b:2222"}, WorkerId(1));
//   resolver.Resolve().num_workers();   // 2
//
// One class a launcher: tf_config_, torchrun and Open MPI in launcher_, slurm_
// and kubernetes_cluster_resolver.h; environment_cluster_resolver.h takes
// whichever is there. None opens a connection or looks up a name.
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

  // Reads again at each call, so that a restarted job sees its new numbers.
  // Errors: InvalidArgument for what is missing, malformed or contradicts
  // itself; others as the classes say.
  virtual ClusterSpec Resolve() const = 0;
  // The launcher's name, for messages: "Slurm".
  virtual std::string_view name() const = 0;
};

// What the program itself says.
class SimpleClusterResolver : public ClusterResolver {
 public:
  // Addresses as host:port, by the workers' numbers. `worker`: this process.
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
