// The cluster of the launcher that started this process.
//
//   EnvironmentClusterResolver().Resolve().origin();   // "Slurm"
//
// Uses the first of these launchers that is present:
//
//   launcher     is present if                      may be started by
//   TF_CONFIG    it has a cluster
//   torchrun     RANK is set                        mpirun, Slurm, Kubernetes
//   Open MPI     OMPI_COMM_WORLD_RANK is set        Slurm, Kubernetes
//   Slurm        SLURM_STEP_ID is set
//   Kubernetes   JOB_COMPLETION_INDEX is set
//
// All launchers that are present must agree on the number of workers and on
// this worker's number. A launcher that only started another launcher is
// ignored, because it counts launchers, not workers: the rows below mpirun, the
// rows below torchrun (detected by TORCHELASTIC_RUN_ID, so not if a script set
// RANK), and, next to another launcher, an Indexed Job without
// LOCKSTEP_NUM_WORKERS. Without a launcher the process is on its own.
#ifndef LOCKSTEP_REFERENCE_CLUSTER_ENVIRONMENT_CLUSTER_RESOLVER_H_
#define LOCKSTEP_REFERENCE_CLUSTER_ENVIRONMENT_CLUSTER_RESOLVER_H_

#include <string_view>
#include <vector>

#include "reference/cluster/cluster_resolver.h"
#include "reference/cluster/environment.h"

namespace lockstep {

class EnvironmentClusterResolver : public ClusterResolver {
 public:
  // `first_port` is for launchers that name hosts without ports.
  explicit EnvironmentClusterResolver(
      Environment environment = Environment::OfProcess(), int first_port = 8888)
      : environment_(std::move(environment)), first_port_(first_port) {}

  // Also an error: InvalidArgument if two launchers disagree, or if WORLD_SIZE
  // has another value (Slurm scripts set it without RANK); the errors of every
  // launcher that is present; FailedPrecondition in a Slurm batch script for
  // several tasks, outside srun.
  ClusterSpec Resolve() const override;
  std::string_view name() const override { return "the environment"; }

 private:
  std::vector<ClusterSpec> ResolveAll() const;

  Environment environment_;
  int first_port_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_CLUSTER_ENVIRONMENT_CLUSTER_RESOLVER_H_
