// What carries tensors between the workers of a strategy.
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

namespace lockstep {

enum class CommunicationImplementation {
  kAuto,  // MPI where Open MPI's mpirun, or srun with it, started all workers
          // and nobody else; Gloo elsewhere
  kGloo,
  kMpi,
};

// The same on all workers, but for where each is reached.
struct CommunicationOptions {
  // How long a worker waits for the others in a collective before it ends with
  // DeadlineExceeded; nullopt: until they come or are known to be gone.
  std::optional<std::chrono::milliseconds> timeout = std::nullopt;
  CommunicationImplementation implementation =
      CommunicationImplementation::kAuto;
  // Where this worker is reached by the others' tensors.
  GlooOptions gloo = {};
  MpiOptions mpi = {};
};

// All workers call it together. Errors, on all: FailedPrecondition where they
// ask for different implementations; those of MakeGlooGroup or MakeMpiGroup.
// REQUIRES: the control plane outlives the group.
std::unique_ptr<Group> MakeGroupOfWorkers(ControlPlane& control,
                                          const CommunicationOptions& options,
                                          Deadline deadline);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DISTRIBUTE_MULTI_WORKER_COMMUNICATION_H_
