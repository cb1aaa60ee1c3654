// The servers and workers of a cluster whose coordinator is this process.
//
//   ClusterProcesses processes({.servers = 2, .workers = 1}, task);
//   ParameterServerStrategy strategy(processes.cluster());
//   processes.Kill(ParameterServerRole::kWorker, 0);
//   processes.Start(ParameterServerRole::kWorker, 0);   // at the same address
//
// They run this same program, so that they contain the same code, including
// planted bugs: main begins with ServeIfClusterTask.
#ifndef LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_PARAMETER_SERVER_CLUSTER_PROCESSES_H_
#define LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_PARAMETER_SERVER_CLUSTER_PROCESSES_H_

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "conformance/runner/pipe/child_process.h"
#include "conformance/testees/reference/program_folder.h"
#include "reference/base/json.h"
#include "reference/cluster/parameter_server_cluster.h"

namespace lockstep::conformance {

// The option that makes this program a server or worker, followed by the file
// with the program that a worker runs.
inline constexpr std::string_view kClusterTaskFlag =
    "--reference-cluster-task=";

// What a worker runs.
struct ClusterProgram {
  Json given;
  Json program;
  std::string folder;  // for its files

  static ClusterProgram Read(const std::string& path);
  void Write(const std::string& path) const;
};

class ClusterProcesses {
 public:
  // Starts `given["servers"]` servers, and the workers if `with_workers`.
  // Errors: those of ChildProcess.
  ClusterProcesses(const ClusterProgram& program, bool with_workers);

  // As the coordinator sees it.
  const ParameterServerCluster& cluster() const { return cluster_; }

  // Errors: ProgramError for a process that does not exist, or that does not
  // run; for Start, that runs.
  void Kill(ParameterServerRole role, int index);
  void Start(ParameterServerRole role, int index);

 private:
  using Task = std::pair<ParameterServerRole, int>;

  const ProgramFolder folder_;  // of the file for workers
  const ParameterServerCluster cluster_;
  std::map<Task, std::unique_ptr<ChildProcess>> running_;
};

}  // namespace lockstep::conformance

#endif  // LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_PARAMETER_SERVER_CLUSTER_PROCESSES_H_
