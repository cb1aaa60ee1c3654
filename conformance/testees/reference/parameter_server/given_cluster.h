// What a program is run under if parameter servers are given: in the testee's
// process the coordinator and the processes of its cluster, in a worker's
// process the worker.
#ifndef LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_PARAMETER_SERVER_GIVEN_CLUSTER_H_
#define LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_PARAMETER_SERVER_GIVEN_CLUSTER_H_

#include <exception>
#include <memory>
#include <optional>
#include <string>

#include "conformance/testees/reference/parameter_server/cluster_processes.h"
#include "conformance/testees/reference/value.h"
#include "reference/base/json.h"
#include "reference/parameter_server/coordinator/parameter_server_strategy.h"

namespace lockstep::conformance {

// The name that steps find it by; no program can use it.
inline constexpr char kClusterName[] = "cluster of the program";

// The end of a worker's program: its coordinator has ended.
class WorkerEnded : public std::exception {};

class GivenCluster {
 public:
  // Errors: those of ClusterProcesses and ParameterServerStrategy;
  // ProgramError for a partitioner that operations.md does not have.
  explicit GivenCluster(const ClusterProgram& program);

  ParameterServerStrategy& strategy() { return *strategy_; }
  // REQUIRES: this process is the coordinator.
  ClusterProcesses& processes() { return *processes_; }
  // The name of the next function: the same in all processes, which create
  // functions in the same order.
  std::string NextName();

 private:
  std::unique_ptr<ClusterProcesses> processes_;  // outlives the strategy
  std::unique_ptr<ParameterServerStrategy> strategy_;
  int functions_ = 0;
};

// If a program's `given` has servers, the cluster; otherwise nullptr.
std::shared_ptr<GivenCluster> MakeGivenCluster(const Json& given,
                                               const Json& program,
                                               const std::string& folder);

// A partitioner by its kind and numbers. Errors: ProgramError for another kind
// or a missing number; those of partitioners.h.
Partitioner PartitionerOf(const Json& arguments);

}  // namespace lockstep::conformance

#endif  // LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_PARAMETER_SERVER_GIVEN_CLUSTER_H_
