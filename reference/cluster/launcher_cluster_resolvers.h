// Launchers that number their processes in variables of the environment.
//
//   torchrun --nproc-per-node=2 ...     // RANK=1 WORLD_SIZE=2 LOCAL_RANK=1 ...
//   TorchrunClusterResolver().Resolve().worker();   // WorkerId(1)
//   mpirun -np 2 ...                    // OMPI_COMM_WORLD_RANK=1 ...
//   OpenMpiClusterResolver().Resolve().worker();    // WorkerId(1)
//
// Neither tells the workers' addresses. Both read MASTER_ADDR and MASTER_PORT
// where they are set; mpirun does not set them by itself.
#ifndef LOCKSTEP_REFERENCE_CLUSTER_LAUNCHER_CLUSTER_RESOLVERS_H_
#define LOCKSTEP_REFERENCE_CLUSTER_LAUNCHER_CLUSTER_RESOLVERS_H_

#include <string_view>

#include "reference/cluster/cluster_resolver.h"
#include "reference/cluster/environment.h"

namespace lockstep {

// Whatever sets PyTorch's variables: torchrun, Kubeflow's PyTorchJob, a script.
// RANK and WORLD_SIZE must be there; LOCAL_RANK and LOCAL_WORLD_SIZE may be.
class TorchrunClusterResolver : public ClusterResolver {
 public:
  explicit TorchrunClusterResolver(
      Environment environment = Environment::OfProcess())
      : environment_(std::move(environment)) {}

  // run_id() counts torchrun's restarts, and is_master_port_taken() says
  // whether its agent listens on MASTER_PORT.
  ClusterSpec Resolve() const override;
  std::string_view name() const override { return "torchrun"; }

 private:
  Environment environment_;
};

// Open MPI's mpirun; the program need not call MPI.
class OpenMpiClusterResolver : public ClusterResolver {
 public:
  explicit OpenMpiClusterResolver(
      Environment environment = Environment::OfProcess())
      : environment_(std::move(environment)) {}

  ClusterSpec Resolve() const override;
  std::string_view name() const override { return "Open MPI"; }

 private:
  Environment environment_;
};

// MASTER_ADDR and MASTER_PORT into `facts`, each where it is set. Errors:
// InvalidArgument.
void ReadMaster(const VariableReader& read, ClusterFacts& facts);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_CLUSTER_LAUNCHER_CLUSTER_RESOLVERS_H_
