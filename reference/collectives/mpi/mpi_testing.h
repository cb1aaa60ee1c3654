// For tests that mpirun runs as several workers: this process's rank. All
// processes make the same calls.
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

// Connects the workers of this job on the first call.
ControlPlane& ControlPlaneOfJob();
// This worker is done. Otherwise the others would get Unavailable.
void LeaveJob();

class MpiRanks {
 public:
  static std::unique_ptr<Ranks> Make(
      const MpiOptions& options = {
          .leave_limit = std::chrono::milliseconds(100)});
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_MPI_MPI_TESTING_H_
