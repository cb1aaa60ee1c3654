// A worker or parameter server of a cluster that runs FitProgram, or its
// evaluator, for tests.
//
//   fit_process worker|ps INDEX WORKER_PORTS SERVER_PORTS STEPS_PER_EXECUTION
//   fit_process evaluator 0 WORKER_PORTS SERVER_PORTS FOLDER STEPS_PER_EXECUTION
//
// The evaluator prints the loss of each checkpoint in the folder, until none came
// for a minute.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "reference/parameter_server/coordinator/processes/cluster_processes_testing.h"
#include "reference/parameter_server/server/parameter_server.h"
#include "reference/training/parameter_server/fit_program_testing.h"
#include "reference/training/sidecar/sidecar_evaluator.h"

namespace lockstep {
namespace {

int Evaluate(const std::string& folder) {
  SidecarEvaluator evaluator(*FitModel(1), FitData(),
                             {.folder = folder,
                              .patience = std::chrono::minutes(1),
                              .interval = std::chrono::milliseconds(1),
                              .evaluate = {.steps = 2}});
  evaluator.Run([](const std::string&, const Logs& logs) {
    std::printf("%.17g\n", logs.at("loss"));
    std::fflush(stdout);
  });
  return 0;
}

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
  if (argc < 6) return 2;
  const lockstep::ParameterServerCluster cluster =
      lockstep::ClusterOfArguments(argv);
  try {
    if (cluster.role == lockstep::ParameterServerRole::kEvaluator) {
      return lockstep::Evaluate(argv[5]);
    }
    return lockstep::Run(cluster, std::atoi(argv[5]));
  } catch (const lockstep::Error& error) {
    std::printf("%s\n", error.what());
    return 1;
  }
}
