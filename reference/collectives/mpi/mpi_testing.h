// For tests of a program that mpirun runs as all of its workers: this process's
// rank. All processes make the same calls.
//
//   MpiRanks::Make()->Run([](Group& group) { ... });
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_MPI_MPI_TESTING_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_MPI_MPI_TESTING_H_

#include <atomic>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "reference/collectives/collectives_testing.h"
#include "reference/collectives/mpi/mpi_group.h"

namespace lockstep {

// What connects the workers of this job, from the first call on.
ControlPlane& ControlPlaneOfJob();
// Says that this worker is done. Others find it gone otherwise.
void LeaveJob();

class MpiRanks {
 public:
  static std::unique_ptr<Ranks> Make(
      const MpiOptions& options = {
          .leave_limit = std::chrono::milliseconds(100)});
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_MPI_MPI_TESTING_H_
