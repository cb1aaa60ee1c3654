// A process of a cluster that runs CountingProgram, for tests.
//
//   counting_process chief|worker|ps INDEX WORKER_PORTS SERVER_PORTS [MS]
//
// Ports are "4001,4002". A server and a worker end with the coordinator. The
// coordinator says "ready", and schedules functions of that many milliseconds
// until it is killed; without MS it ends at once. Errors are printed, and the
// exit status is 1.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "reference/parameter_server/coordinator/counting_program_testing.h"
#include "reference/parameter_server/server/parameter_server.h"

namespace lockstep {
namespace {

std::vector<WorkerAddress> AddressesOf(const std::string& ports) {
  std::vector<WorkerAddress> addresses;
  for (size_t begin = 0; begin < ports.size();) {
    const size_t end = std::min(ports.find(',', begin), ports.size());
    addresses.push_back(
        {"127.0.0.1", std::atoi(ports.substr(begin, end - begin).c_str())});
    begin = end + 1;
  }
  return addresses;
}

ParameterServerRole RoleOf(std::string_view name) {
  if (name == "ps") return ParameterServerRole::kServer;
  if (name == "worker") return ParameterServerRole::kWorker;
  return ParameterServerRole::kCoordinator;
}

void Coordinate(CountingProgram& program, int milliseconds) {
  ClusterCoordinator coordinator(program.strategy);
  const NamedArguments arguments{
      {"ms", Tensor::Scalar(static_cast<int64_t>(milliseconds))}};
  std::printf("ready\n");
  std::fflush(stdout);
  while (milliseconds > 0) {
    for (int i = 0; i < 10; ++i) coordinator.Schedule(program.slow, arguments);
    coordinator.Join();
  }
}

int Run(const ParameterServerCluster& cluster, int milliseconds) {
  if (cluster.role == ParameterServerRole::kServer) {
    return RunParameterServer(cluster, CountingOptions());
  }
  CountingProgram program(cluster);
  if (program.strategy.is_worker()) return program.strategy.Serve();
  Coordinate(program, milliseconds);
  return 0;
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
  if (argc < 5) return 2;
  lockstep::ParameterServerCluster cluster{
      .role = lockstep::RoleOf(argv[1]),
      .index = std::atoi(argv[2]),
      .coordinator = {"127.0.0.1", 1},
      .workers = lockstep::AddressesOf(argv[3]),
      .servers = lockstep::AddressesOf(argv[4])};
  try {
    return lockstep::Run(cluster, argc > 5 ? std::atoi(argv[5]) : 0);
  } catch (const lockstep::Error& error) {
    std::printf("%s\n", error.what());
    return 1;
  }
}
