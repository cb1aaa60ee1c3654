// A worker in its own process, for tests: joins, and then waits for a barrier
// that never completes, or sleeps.
//
//   control_plane_worker WORKER NUM_WORKERS PORT wait|sleep HEARTBEAT_TIMEOUT
//
// Port 0 is for the chief, which prints its port; the time is in milliseconds.
// Exits with 0 when the job has failed, and prints why.
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>

#include "reference/cluster/control/connect_control_plane.h"

namespace {

void Run(int worker, int num_workers, int port, bool sleeps,
         int heartbeat_timeout) {
  lockstep::ControlPlaneOptions options;
  options.chief = lockstep::WorkerAddress{"127.0.0.1", port};
  options.heartbeat_interval = std::chrono::milliseconds(100);
  options.heartbeat_timeout = std::chrono::milliseconds(heartbeat_timeout);
  options.listening = [](int bound) {
    std::printf("%d\n", bound);
    std::fflush(stdout);
  };
  const auto control = lockstep::ConnectControlPlane(
      lockstep::ClusterSpec(
          {.num_workers = num_workers, .worker = lockstep::WorkerId(worker)}),
      options);
  control->Barrier("ready", lockstep::kNoDeadline);
  while (sleeps) std::this_thread::sleep_for(std::chrono::hours(1));
  control->Barrier("never", lockstep::kNoDeadline);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) return 2;
  try {
    Run(std::atoi(argv[1]), std::atoi(argv[2]), std::atoi(argv[3]),
        argv[4] == std::string_view("sleep"), std::atoi(argv[5]));
  } catch (const lockstep::Error& error) {
    std::printf("%s\n", error.what());
    return 0;
  }
  return 1;
}
