#include "conformance/testees/reference/parameter_server/cluster_task.h"

#include <cstdio>
#include <exception>
#include <string>
#include <string_view>

#include "conformance/testees/reference/parameter_server/cluster_processes.h"
#include "conformance/testees/reference/parameter_server/given_cluster.h"
#include "conformance/testees/reference/reference_testee.h"
#include "reference/cluster/parameter_server_cluster.h"
#include "reference/parameter_server/server/parameter_server.h"

namespace lockstep::conformance {
namespace {

// A program that does not reach its coordinator has failed there too.
int RunWorker(const ClusterProgram& program) {
  ReferenceTestee testee(DeviceKind::kCpu, program.folder);
  try {
    testee.Run(
        {.token = "", .given = program.given, .program = program.program});
  } catch (const WorkerEnded&) {
    return 0;
  }
  return 1;
}

int RunTask(const std::string& path) {
  const ParameterServerCluster cluster = ParameterServerClusterOfTfConfig();
  if (cluster.role == ParameterServerRole::kServer) {
    return RunParameterServer(cluster, {});
  }
  return RunWorker(ClusterProgram::Read(path));
}

}  // namespace

std::optional<int> ServeIfClusterTask(int argc, char** argv) {
  if (argc != 2 || !std::string_view(argv[1]).starts_with(kClusterTaskFlag)) {
    return std::nullopt;
  }
  try {
    return RunTask(argv[1] + kClusterTaskFlag.size());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "[ServeIfClusterTask] %s\n", error.what());
    return 1;
  }
}

}  // namespace lockstep::conformance
