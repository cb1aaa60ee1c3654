// Asynchronous training with parameter servers: servers keep the variables,
// workers compute, and a coordinator tells workers what to compute.
//
//   int main() {
//     const ParameterServerCluster cluster = ParameterServerClusterOfTfConfig();
//     if (cluster.role == ParameterServerRole::kServer) {
//       return RunParameterServer(cluster, {.token = token});
//     }
//     ParameterServerStrategy strategy(cluster, {.control = {.token = token}});
//     VariablePtr v;
//     {
//       StrategyScope scope = strategy.Scope();
//       v = MakeVariable({...});                          // on a server
//     }
//     const WorkerFunction add = strategy.Function(
//         "add", [&](const WorkerArguments& in) -> Structure {
//           v->AssignAdd(in[0]);
//           return v->Read();
//         });
//     if (strategy.is_worker()) return strategy.Serve();
//     ClusterCoordinator coordinator(strategy);           // cluster_coordinator.h
//     RemoteValue after = coordinator.Schedule(add, {Tensor::Scalar(1.0f)});
//     coordinator.Join();
//     after.Fetch();
//   }
//
// Coordinator and workers run the same program up to Serve: a worker makes the
// same variables in the same order, and gets those of the servers. Variables
// and optimizers are made in the scope, before functions use them
// (Optimizer::Build). All processes may start in any order, and end with the
// coordinator.
//
// A scheduled function has one replica. Its changes of variables are applied as
// they come, without locks between functions, each exactly once, also if its
// worker is lost and it runs again: changes then keep their numbers. Changes
// of several variables in one call are made together.
#ifndef LOCKSTEP_REFERENCE_PARAMETER_SERVER_COORDINATOR_PARAMETER_SERVER_STRATEGY_H_
#define LOCKSTEP_REFERENCE_PARAMETER_SERVER_COORDINATOR_PARAMETER_SERVER_STRATEGY_H_

#include <functional>
#include <memory>
#include <string>

#include "reference/cluster/control/control_plane_options.h"
#include "reference/cluster/parameter_server_cluster.h"
#include "reference/distribute/strategy.h"
#include "reference/parameter_server/coordinator/worker_function.h"
#include "reference/parameter_server/variables/parameter_client.h"
#include "reference/parameter_server/variables/remote_variable_maker.h"

namespace lockstep {

struct ParameterServerStrategyOptions {
  // Which variables are divided among servers; partitioners.h has some.
  Partitioner partitioner = {};
  // Of a worker, for one function; 0: the number of cores.
  int threads_per_worker = 0;
  // How many workers may be lost while they run the same function: one more, and
  // it fails with Internal. 0 or more. It may be what ends their processes.
  int allowed_worker_losses = 3;
  // Token, TLS, timeouts and what both sides must have in common. listen_host
  // and listening are a worker's.
  ControlPlaneOptions control = {};
};

class ParameterServerStrategy final : public Strategy {
 public:
  // Connects with the servers, and waits for them. REQUIRES: a coordinator's or
  // a worker's cluster. Errors: those of ParameterClient; InvalidArgument for
  // a cluster without servers or workers, for other roles, and for options out
  // of range.
  explicit ParameterServerStrategy(
      const ParameterServerCluster& cluster,
      const ParameterServerStrategyOptions& options = {});
  // The cluster of TF_CONFIG.
  explicit ParameterServerStrategy(
      const ParameterServerStrategyOptions& options = {});
  ~ParameterServerStrategy() override;

  bool is_worker() const;
  bool is_coordinator() const { return !is_worker(); }
  const ParameterServerCluster& cluster() const;

  // Gives a function a name, under which the coordinator schedules it. Errors:
  // InvalidArgument for a name that is taken, or an empty function.
  WorkerFunction Function(const std::string& name, WorkerFunctionBody body);
  // The same for a function that makes the dataset of a worker. Each worker
  // calls it once for every per-worker dataset, and reads all of it: the
  // context has one pipeline, number 0, and one replica.
  WorkerDataset DatasetFunction(const std::string& name,
                                lockstep::DatasetFunction body);

  // The same, except that a name that is taken keeps its function.
  WorkerFunction EnsureFunction(const std::string& name,
                                WorkerFunctionBody body);
  WorkerDataset EnsureDataset(const std::string& name,
                              lockstep::DatasetFunction body);

  // Runs what the coordinator schedules, on the calling thread, until the
  // coordinator has ended, well or not: its stream is closed and the servers,
  // which end with it, are gone. Returns 0. Errors: FailedPrecondition unless
  // is_worker(); Unavailable if it cannot listen.
  int Serve();

  // On a server. Errors: FailedPrecondition inside a scheduled function; those
  // of RemoteVariableMaker.
  VariablePtr CreateVariable(const VariableOptions& options) override;

  // Inner parts, for the coordinator.
  struct Parts;
  Parts& parts() { return *parts_; }

 private:
  // One replica, on the calling thread.
  void RunReplicas(const ReplicaBody& body) override;

  const int threads_;
  const std::unique_ptr<Parts> parts_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_PARAMETER_SERVER_COORDINATOR_PARAMETER_SERVER_STRATEGY_H_
