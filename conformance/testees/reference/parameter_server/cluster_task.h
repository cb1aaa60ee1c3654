// A server or a worker of a cluster, in a process of its own.
#ifndef LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_PARAMETER_SERVER_CLUSTER_TASK_H_
#define LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_PARAMETER_SERVER_CLUSTER_TASK_H_

#include <optional>

namespace lockstep::conformance {

// If the command line starts this process as a task of ClusterProcesses, does
// it until its coordinator ends and returns the exit status; otherwise returns
// nullopt. TF_CONFIG says which task.
std::optional<int> ServeIfClusterTask(int argc, char** argv);

}  // namespace lockstep::conformance

#endif  // LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_PARAMETER_SERVER_CLUSTER_TASK_H_
