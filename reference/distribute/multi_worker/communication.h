// Communication between the workers of a strategy.
//
//   MultiWorkerMirroredStrategyOptions options;
//   options.communication.implementation = CommunicationImplementation::kGloo;
#ifndef LOCKSTEP_REFERENCE_DISTRIBUTE_MULTI_WORKER_COMMUNICATION_H_
#define LOCKSTEP_REFERENCE_DISTRIBUTE_MULTI_WORKER_COMMUNICATION_H_

#include <chrono>
#include <memory>
#include <optional>

#include "reference/base/deadline.h"
#include "reference/cluster/control/control_plane.h"
#include "reference/collectives/gloo/gloo_group.h"
#include "reference/collectives/group.h"
#include "reference/collectives/mpi/mpi_group.h"
#include "reference/device/device.h"

namespace lockstep {

enum class CommunicationImplementation {
  kAuto,  // NCCL if all workers' replicas are on GPUs and have it; else MPI
          // if Open MPI's mpirun, or srun with it, started all workers and no
          // other processes; otherwise Gloo
  kGloo,
  kMpi,
  kNccl,  // for GPUs' tensors, Gloo for all others
};

// The same on all workers, except for their addresses.
struct CommunicationOptions {
  // How long a worker waits for the others in a collective before it fails with
  // DeadlineExceeded; nullopt: until they come or are known to be gone.
  std::optional<std::chrono::milliseconds> timeout = std::nullopt;
  CommunicationImplementation implementation =
      CommunicationImplementation::kAuto;
  // The address at which other workers reach this one.
  GlooOptions gloo = {};
  MpiOptions mpi = {};
};

// All workers call it together, each with its first replica's device. Errors,
// on all: FailedPrecondition if they request different implementations;
// InvalidArgument for kNccl and a device that is not a GPU; Unimplemented if
// the program has no NCCL; those of MakeGlooGroup, MakeMpiGroup and
// MakeNcclBetween. REQUIRES: the control plane outlives the group.
std::unique_ptr<Group> MakeGroupOfWorkers(ControlPlane& control,
                                          const CommunicationOptions& options,
                                          Device& device, Deadline deadline);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DISTRIBUTE_MULTI_WORKER_COMMUNICATION_H_
