// For tests: the workers and parameter servers of a cluster, as processes.
//
//   ClusterProcesses processes({.workers = 2, .servers = 1});
//   CountingProgram program(processes.cluster());   // this is the coordinator
//   processes.Kill(processes.worker(1));
//   processes.StartWorker(1);                       // at the same address
#ifndef LOCKSTEP_REFERENCE_PARAMETER_SERVER_COORDINATOR_CLUSTER_PROCESSES_TESTING_H_
#define LOCKSTEP_REFERENCE_PARAMETER_SERVER_COORDINATOR_CLUSTER_PROCESSES_TESTING_H_

#include <fmt/core.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "reference/cluster/control/worker_process_testing.h"
#include "reference/cluster/free_port.h"
#include "reference/cluster/parameter_server_cluster.h"

namespace lockstep {

class ClusterProcesses {
 public:
  struct Size {
    int workers = 2;
    int servers = 1;
  };
  static constexpr char kProgram[] =
      "reference/parameter_server/coordinator/counting_process";

  explicit ClusterProcesses(const Size& size)
      : workers_(size.workers), servers_(size.servers) {
    std::set<int> ports;
    while (std::ssize(ports) < size.workers + size.servers) {
      ports.insert(FreePort());
    }
    cluster_.coordinator = {"127.0.0.1", 1};
    for (const int port : ports) {
      const bool is_worker = std::ssize(cluster_.workers) < size.workers;
      (is_worker ? cluster_.workers : cluster_.servers)
          .push_back({"127.0.0.1", port});
    }
    for (int s = 0; s < size.servers; ++s) StartServer(s);
    for (int w = 0; w < size.workers; ++w) StartWorker(w);
  }

  // As the coordinator sees it.
  const ParameterServerCluster& cluster() const { return cluster_; }
  WorkerProcess& worker(int w) { return *workers_[w]; }
  WorkerProcess& server(int s) { return *servers_[s]; }

  void StartWorker(int w) { workers_[w] = Start("worker", w); }
  void StartServer(int s) { servers_[s] = Start("ps", s); }
  // A coordinator in a process of its own; see counting_process.cc.
  std::unique_ptr<WorkerProcess> StartCoordinator(int milliseconds) {
    return Start("chief", 0, {std::to_string(milliseconds)});
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
  std::unique_ptr<WorkerProcess> Start(const std::string& role, int index,
                                       std::vector<std::string> more = {}) {
    std::vector<std::string> arguments{role, std::to_string(index),
                                       PortsOf(cluster_.workers),
                                       PortsOf(cluster_.servers)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return std::make_unique<WorkerProcess>(kProgram, arguments);
  }

  ParameterServerCluster cluster_;
  std::vector<std::unique_ptr<WorkerProcess>> workers_;
  std::vector<std::unique_ptr<WorkerProcess>> servers_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_PARAMETER_SERVER_COORDINATOR_CLUSTER_PROCESSES_TESTING_H_
