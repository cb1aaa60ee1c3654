// A worker that mpirun starts, for tests: all-reduces 25 MiB repeatedly, until
// that fails.
//
//   mpirun -np 3 mpi_worker HEARTBEAT_MS
//
// Prints "begun WORKER PROCESS" after the first all-reduce; when the job has
// failed, "ended WORKER CODE WAITED_MS TEXT", and exits with 0.
#include <fmt/core.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "reference/collectives/mesh/endless_reduction_testing.h"
#include "reference/collectives/mpi/mpi_group.h"
#include "reference/collectives/mpi/mpirun_testing.h"

namespace lockstep {
namespace {

// In one write, so that lines of several workers do not mix.
void Print(const std::string& line) {
  if (write(STDOUT_FILENO, line.data(), line.size()) < 0) std::abort();
}

void Run(int heartbeat_ms) {
  const auto control =
      ConnectWorkersOfMpirun(OptionsWithHeartbeat(heartbeat_ms));
  const auto group =
      MakeMpiGroup(*control, {.stall_limit = std::chrono::seconds(1)});
  const int worker = group->rank();
  const ReductionEnd end = ReduceUntilItFails(
      *group, [&] { Print(fmt::format("begun {} {}\n", worker, getpid())); });
  Print(fmt::format("ended {} {} {} {}\n", worker, end.code, end.waited.count(),
                    end.message));
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  lockstep::Run(std::atoi(argv[1]));
  return 0;
}
