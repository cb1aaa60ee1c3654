// The cluster of whichever launcher started this process.
//
//   EnvironmentClusterResolver().Resolve().origin();   // "Slurm"
//
// The first of these that is there is taken:
//
//   launcher     is there where                     may be started by
//   TF_CONFIG    it has a cluster
//   torchrun     RANK is set                        mpirun, Slurm, Kubernetes
//   Open MPI     OMPI_COMM_WORLD_RANK is set        Slurm, Kubernetes
//   Slurm        SLURM_STEP_ID is set
//   Kubernetes   JOB_COMPLETION_INDEX is set
//
// All that are there must agree on the number of workers and on which of them
// this is. Left out of that are launchers that only started another one, whose
// numbers count that one's processes: what stands below mpirun, and below
// torchrun (known by TORCHELASTIC_RUN_ID, so not where a script set RANK); and
// an Indexed Job that does not set LOCKSTEP_NUM_WORKERS where another launcher
// is there. Where none is there, the process is for itself.
#ifndef LOCKSTEP_REFERENCE_CLUSTER_ENVIRONMENT_CLUSTER_RESOLVER_H_
#define LOCKSTEP_REFERENCE_CLUSTER_ENVIRONMENT_CLUSTER_RESOLVER_H_

#include <string_view>
#include <vector>

#include "reference/cluster/cluster_resolver.h"
#include "reference/cluster/environment.h"

namespace lockstep {

class EnvironmentClusterResolver : public ClusterResolver {
 public:
  // `first_port`: for launchers that name hosts without ports.
  explicit EnvironmentClusterResolver(
      Environment environment = Environment::OfProcess(), int first_port = 8888)
      : environment_(std::move(environment)), first_port_(first_port) {}

  // Errors also: InvalidArgument where two disagree, and where WORLD_SIZE is
  // set to another number (scripts for Slurm set it without RANK); those of
  // every launcher that is there; FailedPrecondition in a batch script of
  // Slurm for several tasks, outside of srun.
  ClusterSpec Resolve() const override;
  std::string_view name() const override { return "the environment"; }

 private:
  std::vector<ClusterSpec> ResolveAll() const;

  Environment environment_;
  int first_port_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_CLUSTER_ENVIRONMENT_CLUSTER_RESOLVER_H_
