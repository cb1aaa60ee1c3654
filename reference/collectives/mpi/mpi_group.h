// Groups whose ranks are workers, over Open MPI. mpirun, or srun --mpi=pmix,
// must have started the workers.
//
//   // mpirun -np 2 --bind-to none ...
//   std::unique_ptr<Group> group = MakeMpiGroup(*control, {});   // on all
//   group->AllReduce(ReduceOp::kSum, {x}, {}).Wait();
//
// One rank per worker. Tensors are on CPUs; those of GPUs are Unimplemented on
// all ranks. mesh_group.h has the algorithms. MPI uses shared memory within a
// machine, and the transport that it is configured for between machines.
//
// The first group of a process initializes MPI; it is finalized when the
// process ends. A program that calls MPI itself initializes it before, with
// MPI_THREAD_MULTIPLE, and finalizes it after its last group.
//
// When a worker's process dies, mpirun kills the others, before or after they
// have seen Unavailable; docs/errors.md says what to do about it.
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_MPI_MPI_GROUP_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_MPI_MPI_GROUP_H_

#include <chrono>
#include <memory>
#include <optional>

#include "reference/base/error.h"
#include "reference/cluster/control/control_plane.h"
#include "reference/collectives/group.h"

namespace lockstep {

struct MpiOptions {
  // How long the workers may take to initialize MPI together.
  std::chrono::milliseconds connect_limit = std::chrono::seconds(30);
  // How long a worker waits, once all have come to a collective, for one that
  // sends nothing. Then all get DeadlineExceeded.
  std::chrono::milliseconds stall_limit = std::chrono::seconds(10);
  // How long a destroyed group waits for the others to end theirs.
  std::chrono::milliseconds leave_limit = std::chrono::seconds(1);
};

// Returns why this process cannot be in such a group, nullopt if it can:
// FailedPrecondition if no MPI launcher started it, if the launcher started
// another number of processes, or if there is no Open MPI. Does not initialize
// MPI.
std::optional<Error> WhyNoMpi(int num_workers);

// All workers call it together. A failure of the control plane fails the group.
// Errors, on all workers: that of WhyNoMpi; FailedPrecondition for workers of
// several launchers, a launcher that started other processes too, incompatible
// programs, or an MPI initialized with a lower thread level; DeadlineExceeded;
// those of the control plane. REQUIRES: the control plane outlives the group.
std::unique_ptr<Group> MakeMpiGroup(ControlPlane& control,
                                    const MpiOptions& options);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_MPI_MPI_GROUP_H_
