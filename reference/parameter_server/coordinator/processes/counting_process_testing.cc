// A process of a cluster that runs CountingProgram, for tests.
//
//   counting_process chief|worker|ps INDEX WORKER_PORTS SERVER_PORTS
//                    [MS [AUTHORITY CERTIFICATE KEY]]
//
// Ports are "4001,4002". A server and a worker say "serving" when they listen, and
// end with the coordinator. The coordinator says "ready", and schedules functions
// of that many milliseconds until it is killed; without MS, or if it is 0, it ends
// at once. The files are for TLS. Errors are printed, and the exit status is 1.
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "reference/parameter_server/coordinator/processes/cluster_processes_testing.h"
#include "reference/parameter_server/coordinator/processes/counting_program_testing.h"
#include "reference/parameter_server/server/parameter_server.h"

namespace lockstep {
namespace {

void Say(const char* word) {
  std::printf("%s\n", word);
  std::fflush(stdout);
}

void Coordinate(CountingProgram& program, int milliseconds) {
  ClusterCoordinator coordinator(program.strategy);
  const NamedArguments arguments{
      {"ms", Tensor::Scalar(static_cast<int64_t>(milliseconds))}};
  Say("ready");
  while (milliseconds > 0) {
    for (int i = 0; i < 10; ++i) coordinator.Schedule(program.slow, arguments);
    coordinator.Join();
  }
}

int Run(const ParameterServerCluster& cluster, int milliseconds,
        const std::optional<TlsFiles>& tls) {
  ControlPlaneOptions control = CountingOptions();
  control.tls = tls;
  control.listening = [](int) { Say("serving"); };
  if (cluster.role == ParameterServerRole::kServer) {
    return RunParameterServer(cluster, control);
  }
  CountingProgram program(cluster, control);
  if (program.strategy.is_worker()) return program.strategy.Serve();
  Coordinate(program, milliseconds);
  return 0;
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
  if (argc < 5) return 2;
  std::optional<lockstep::TlsFiles> tls;
  if (argc > 8) {
    tls = {.authority = argv[6], .certificate = argv[7], .key = argv[8]};
  }
  try {
    return lockstep::Run(lockstep::ClusterOfArguments(argv),
                         argc > 5 ? std::atoi(argv[5]) : 0, tls);
  } catch (const lockstep::Error& error) {
    std::printf("%s\n", error.what());
    return 1;
  }
}
