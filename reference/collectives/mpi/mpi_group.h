// Groups whose ranks are workers, through Open MPI: where mpirun, or srun
// --mpi=pmix, started them.
//
//   // mpirun -np 2 --bind-to none ...
//   std::unique_ptr<Group> group = MakeMpiGroup(*control, {});   // on all
//   group->AllReduce(ReduceOp::kSum, {x}, {}).Wait();
//
// One rank per worker; its tensors are on CPUs, those of GPUs are Unimplemented
// on all ranks. How it agrees and adds up: mesh_group.h. Within a machine MPI
// sends through shared memory, between machines by what it is configured for.
//
// MPI is begun by the first group of the process, and ended with the process. A
// program that calls MPI itself begins it before, with MPI_THREAD_MULTIPLE, and
// ends it after its last group.
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
  // How long the workers take at most to begin MPI together.
  std::chrono::milliseconds connect_limit = std::chrono::seconds(30);
  // How long a worker waits, when all have come to a collective, for one that
  // sends nothing: then DeadlineExceeded for all.
  std::chrono::milliseconds stall_limit = std::chrono::seconds(10);
  // How long a group that ends waits for the others to end theirs.
  std::chrono::milliseconds leave_limit = std::chrono::seconds(1);
};

// Why this process can be in no such group of so many workers: a
// FailedPrecondition where no launcher of MPI started it, or one that started
// another number, or where it finds no Open MPI. Begins nothing.
std::optional<Error> WhyNoMpi(int num_workers);

// All workers call it together. What the control plane fails by, the group
// fails by. Errors, on all workers: that of WhyNoMpi; FailedPrecondition for
// workers that several launchers started, a launcher that started others too,
// programs that do not fit together, an MPI begun with too few threads;
// DeadlineExceeded; those of the control plane. REQUIRES: it outlives the
// group.
std::unique_ptr<Group> MakeMpiGroup(ControlPlane& control,
                                    const MpiOptions& options);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_MPI_MPI_GROUP_H_
