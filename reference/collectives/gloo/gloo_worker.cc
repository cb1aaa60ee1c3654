// A worker in its own process, for tests: all-reduces 25 MiB repeatedly, until
// that fails.
//
//   gloo_worker WORKER NUM_WORKERS PORT HEARTBEAT_MS
//
// Exits with 0 when the job has failed, and prints the error's code and text
// and how long after the last all-reduce it came, in ms.
#include <cstdio>
#include <cstdlib>

#include "reference/collectives/gloo/connect_testing.h"
#include "reference/collectives/mesh/endless_reduction_testing.h"

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  lockstep::ControlPlaneOptions options =
      lockstep::OptionsWithHeartbeat(std::atoi(argv[4]));
  options.chief = lockstep::WorkerAddress{"127.0.0.1", std::atoi(argv[3])};
  const lockstep::ConnectedWorker worker =
      lockstep::ConnectWorker(std::atoi(argv[1]), std::atoi(argv[2]), options);
  const lockstep::ReductionEnd end =
      lockstep::ReduceUntilItFails(*worker.group);
  std::printf("%s %s (%d ms)\n", end.code.c_str(), end.message.c_str(),
              static_cast<int>(end.waited.count()));
  return 0;
}
