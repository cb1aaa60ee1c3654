// A worker or parameter server of a cluster that runs FitProgram, for tests.
//
//   fit_process worker|ps INDEX WORKER_PORTS SERVER_PORTS STEPS_PER_EXECUTION
#include <cstdio>
#include <cstdlib>

#include "reference/parameter_server/coordinator/processes/cluster_processes_testing.h"
#include "reference/parameter_server/server/parameter_server.h"
#include "reference/training/parameter_server/fit_program_testing.h"

namespace lockstep {
namespace {

int Run(const ParameterServerCluster& cluster, int steps_per_execution) {
  if (cluster.role == ParameterServerRole::kServer) {
    return RunParameterServer(cluster, FitControl());
  }
  FitProgram program(cluster, steps_per_execution);
  program.model->Fit(program.train, {.steps_per_epoch = 1});
  return 0;
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
  if (argc != 6) return 2;
  try {
    return lockstep::Run(lockstep::ClusterOfArguments(argv),
                         std::atoi(argv[5]));
  } catch (const lockstep::Error& error) {
    std::printf("%s\n", error.what());
    return 1;
  }
}
