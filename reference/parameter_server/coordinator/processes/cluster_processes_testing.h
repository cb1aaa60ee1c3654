// For tests: the workers and parameter servers of a cluster, as processes.
//
//   ClusterProcesses processes({.workers = 2, .servers = 1});
//   CountingProgram program(processes.cluster());   // this is the coordinator
//   processes.Kill(processes.worker(1));
//   processes.StartWorker(1);                       // at the same address
#ifndef LOCKSTEP_REFERENCE_PARAMETER_SERVER_COORDINATOR_PROCESSES_CLUSTER_PROCESSES_TESTING_H_
#define LOCKSTEP_REFERENCE_PARAMETER_SERVER_COORDINATOR_PROCESSES_CLUSTER_PROCESSES_TESTING_H_

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "reference/cluster/control/worker_process_testing.h"
#include "reference/cluster/parameter_server_cluster.h"
#include "reference/parameter_server/local/local_addresses.h"

namespace lockstep {

// The cluster that such a process finds in its arguments: ROLE INDEX WORKER_PORTS
// SERVER_PORTS. REQUIRES: there are four.
inline ParameterServerCluster ClusterOfArguments(char** argv) {
  const auto addresses_of = [](const std::string& ports) {
    std::vector<WorkerAddress> addresses;
    for (size_t begin = 0; begin < ports.size();) {
      const size_t end = std::min(ports.find(',', begin), ports.size());
      addresses.push_back(
          {"127.0.0.1", std::stoi(ports.substr(begin, end - begin))});
      begin = end + 1;
    }
    return addresses;
  };
  const std::string role = argv[1];
  return {.role = role == "ps"          ? ParameterServerRole::kServer
                  : role == "worker"    ? ParameterServerRole::kWorker
                  : role == "evaluator" ? ParameterServerRole::kEvaluator
                                        : ParameterServerRole::kCoordinator,
          .index = std::stoi(argv[2]),
          .coordinator = {"127.0.0.1", 1},
          .workers = addresses_of(argv[3]),
          .servers = addresses_of(argv[4])};
}

class ClusterProcesses {
 public:
  struct Size {
    int workers = 2;
    int servers = 1;
    std::string program =
        "reference/parameter_server/coordinator/processes/counting_process";
    std::vector<std::string> more = {};  // arguments, the last
  };

  explicit ClusterProcesses(const Size& size)
      : size_(size),
        cluster_(LocalAddresses(size.workers, size.servers)),
        workers_(size.workers),
        servers_(size.servers) {
    for (int s = 0; s < size.servers; ++s) StartServer(s);
    for (int w = 0; w < size.workers; ++w) StartWorker(w);
  }

  // As the coordinator sees it.
  const ParameterServerCluster& cluster() const { return cluster_; }
  WorkerProcess& worker(int w) { return *workers_[w]; }
  WorkerProcess& server(int s) { return *servers_[s]; }

  void StartWorker(int w) { workers_[w] = Start("worker", w); }
  void StartServer(int s) { servers_[s] = Start("ps", s); }
  // A coordinator in a process of its own; see counting_process_testing.cc.
  std::unique_ptr<WorkerProcess> StartCoordinator(int milliseconds) {
    return Start("chief", 0, {std::to_string(milliseconds)});
  }
  // It is no part of the job, and reads its checkpoints; see
  // fit_process_testing.cc.
  std::unique_ptr<WorkerProcess> StartEvaluator(const std::string& folder) {
    return Start("evaluator", 0, {folder});
  }
  void KillWorker(int w) { workers_[w].reset(); }
  void KillServer(int s) { servers_[s].reset(); }

 private:
  static std::string PortsOf(const std::vector<WorkerAddress>& addresses) {
    std::string ports;
    for (const WorkerAddress& address : addresses) {
      ports += (ports.empty() ? "" : ",") + std::to_string(address.port);
    }
    return ports;
  }
  std::unique_ptr<WorkerProcess> Start(
      const std::string& role, int index,
      const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{role, std::to_string(index),
                                       PortsOf(cluster_.workers),
                                       PortsOf(cluster_.servers)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    arguments.insert(arguments.end(), size_.more.begin(), size_.more.end());
    return std::make_unique<WorkerProcess>(size_.program, arguments);
  }

  const Size size_;
  const ParameterServerCluster cluster_;
  std::vector<std::unique_ptr<WorkerProcess>> workers_;
  std::vector<std::unique_ptr<WorkerProcess>> servers_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_PARAMETER_SERVER_COORDINATOR_PROCESSES_CLUSTER_PROCESSES_TESTING_H_
