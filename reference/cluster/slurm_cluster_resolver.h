// A job step of Slurm: what `srun` starts.
//
//   srun -N2 -n3 ...   // SLURM_STEP_NODELIST=node[1-2], tasks a node 2,1
//   SlurmClusterResolver().Resolve().addresses();
//   // node1:8888, node1:8889, node2:8888
//
// Slurm gives out no ports: the tasks of a node take those from `first_port`
// on, by their number there.
#ifndef LOCKSTEP_REFERENCE_CLUSTER_SLURM_CLUSTER_RESOLVER_H_
#define LOCKSTEP_REFERENCE_CLUSTER_SLURM_CLUSTER_RESOLVER_H_

#include <string_view>

#include "reference/cluster/cluster_resolver.h"
#include "reference/cluster/environment.h"

namespace lockstep {

// Reads the variables of the step, and of the job where the step's are not
// there; MASTER_ADDR and MASTER_PORT where a script has set them.
class SlurmClusterResolver : public ClusterResolver {
 public:
  explicit SlurmClusterResolver(
      Environment environment = Environment::OfProcess(), int first_port = 8888)
      : environment_(std::move(environment)), first_port_(first_port) {}

  // Errors also: FailedPrecondition in a batch script outside of srun, which
  // has the numbers of task 0 but is none of the tasks; Unimplemented for tasks
  // that are dealt out to nodes in another way than block or cyclic.
  ClusterSpec Resolve() const override;
  std::string_view name() const override { return "Slurm"; }

 private:
  Environment environment_;
  int first_port_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_CLUSTER_SLURM_CLUSTER_RESOLVER_H_
