// Launchers that pass the worker's number in environment variables.
//
//   torchrun --nproc-per-node=2 ...     // RANK=1 WORLD_SIZE=2 LOCAL_RANK=1 ...
//   TorchrunClusterResolver().Resolve().worker();   // WorkerId(1)
//   mpirun -np 2 ...                    // OMPI_COMM_WORLD_RANK=1 ...
//   OpenMpiClusterResolver().Resolve().worker();    // WorkerId(1)
//
// Neither launcher provides the workers' addresses. Both resolvers read
// MASTER_ADDR and MASTER_PORT if they are set; mpirun does not set them.
#ifndef LOCKSTEP_REFERENCE_CLUSTER_LAUNCHER_CLUSTER_RESOLVERS_H_
#define LOCKSTEP_REFERENCE_CLUSTER_LAUNCHER_CLUSTER_RESOLVERS_H_

#include <string_view>

#include "reference/cluster/cluster_resolver.h"
#include "reference/cluster/environment.h"

namespace lockstep {

// Any launcher that sets PyTorch's variables: torchrun, Kubeflow's PyTorchJob,
// a script. RANK and WORLD_SIZE are required, LOCAL_RANK and LOCAL_WORLD_SIZE
// are optional.
class TorchrunClusterResolver : public ClusterResolver {
 public:
  explicit TorchrunClusterResolver(
      Environment environment = Environment::OfProcess())
      : environment_(std::move(environment)) {}

  // run_id() includes torchrun's restart count. is_master_port_taken() says
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

// Reads MASTER_ADDR and MASTER_PORT, if set, into `facts`. Errors:
// InvalidArgument.
void ReadMaster(const VariableReader& read, ClusterFacts& facts);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_CLUSTER_LAUNCHER_CLUSTER_RESOLVERS_H_
