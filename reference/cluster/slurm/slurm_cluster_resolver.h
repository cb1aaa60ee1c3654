// A Slurm job step, which `srun` starts.
//
//   srun -N2 -n3 ...   // SLURM_STEP_NODELIST=node[1-2], 2 and 1 tasks
//   SlurmClusterResolver().Resolve().addresses();
//   // node1:8888, node1:8889, node2:8888
//
// Slurm assigns no ports: task i of a node uses first_port + i.
#ifndef LOCKSTEP_REFERENCE_CLUSTER_SLURM_SLURM_CLUSTER_RESOLVER_H_
#define LOCKSTEP_REFERENCE_CLUSTER_SLURM_SLURM_CLUSTER_RESOLVER_H_

#include <string_view>

#include "reference/cluster/cluster_resolver.h"
#include "reference/cluster/environment.h"

namespace lockstep {

// Reads the variables of the step, or of the job if the step has none, and
// MASTER_ADDR and MASTER_PORT if a script has set them.
class SlurmClusterResolver : public ClusterResolver {
 public:
  explicit SlurmClusterResolver(
      Environment environment = Environment::OfProcess(), int first_port = 8888)
      : environment_(std::move(environment)), first_port_(first_port) {}

  // Also an error: FailedPrecondition in a batch script outside srun, which has
  // task 0's numbers but is not a task; Unimplemented for a distribution of
  // tasks other than block or cyclic.
  ClusterSpec Resolve() const override;
  std::string_view name() const override { return "Slurm"; }

 private:
  Environment environment_;
  int first_port_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_CLUSTER_SLURM_SLURM_CLUSTER_RESOLVER_H_
