// The program of the tests with real processes: it counts on a parameter server.
//
//   CountingProgram program(cluster);
//   if (program.strategy.is_worker()) return program.strategy.Serve();
//   ClusterCoordinator coordinator(program.strategy);
//   coordinator.Schedule(program.add, {Tensor::Scalar(1.0f)});
#ifndef LOCKSTEP_REFERENCE_PARAMETER_SERVER_COORDINATOR_PROCESSES_COUNTING_PROGRAM_TESTING_H_
#define LOCKSTEP_REFERENCE_PARAMETER_SERVER_COORDINATOR_PROCESSES_COUNTING_PROGRAM_TESTING_H_

#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "reference/base/error.h"
#include "reference/parameter_server/coordinator/cluster_coordinator.h"
#include "reference/parameter_server/variables/remote_variable.h"

namespace lockstep {

// A worker or server that is stopped is noticed after some seconds.
inline ControlPlaneOptions CountingOptions() {
  return {.token = "counting",
          .program = "counting",
          .join_timeout = std::chrono::seconds(30),
          .heartbeat_interval = std::chrono::seconds(1),
          .heartbeat_timeout = std::chrono::seconds(2)};
}

struct CountingProgram {
  explicit CountingProgram(
      const ParameterServerCluster& cluster,
      const ControlPlaneOptions& control = CountingOptions(),
      int allowed_worker_losses = 3)
      : strategy(cluster, {.threads_per_worker = 1,
                           .allowed_worker_losses = allowed_worker_losses,
                           .control = control}) {
    const StrategyScope scope = strategy.Scope();
    counter =
        MakeVariable({.initial_value = [] { return Tensor::Scalar(0.0f); },
                      .name = "counter"});
    other = MakeVariable({.initial_value = [] { return Tensor::Scalar(0.0f); },
                          .name = "other"});
  }

  ParameterServerStrategy strategy;
  VariablePtr counter;
  VariablePtr other;  // on another server, if there are two

  // Returns nothing.
  const WorkerFunction empty = strategy.Function(
      "empty",
      [](const WorkerArguments&) -> Structure { return Structure::Tuple({}); });
  // Adds the argument; returns the sum.
  const WorkerFunction add =
      strategy.Function("add", [this](const WorkerArguments& in) -> Structure {
        return AssignAddAndRead(*counter, in[0]);
      });
  // Waits for some milliseconds, and adds 1 to both variables.
  const WorkerFunction slow =
      strategy.Function("slow", [this](const WorkerArguments& in) -> Structure {
        counter->AssignAdd(Tensor::Scalar(1.0f));
        std::this_thread::sleep_for(
            std::chrono::milliseconds(in["ms"].leaf().item<int64_t>()));
        other->AssignAdd(Tensor::Scalar(1.0f));
        return Tensor::Scalar(1.0f);
      });
  const WorkerFunction bad =
      strategy.Function("bad", [](const WorkerArguments&) -> Structure {
        throw InvalidArgument("[Test] {}", "bad");
      });
  // Ends its process.
  const WorkerFunction crash = strategy.Function(
      "crash", [](const WorkerArguments&) -> Structure { std::_Exit(3); });
  const WorkerFunction next = strategy.Function(
      "next", [](const WorkerArguments& in) { return in.Next("data"); });
  const WorkerFunction late_variable =
      strategy.Function("late", [](const WorkerArguments&) -> Structure {
        return MakeVariable(
                   {.initial_value = [] { return Tensor::Scalar(0.0f); }})
            ->Read();
      });
  const WorkerDataset range = strategy.DatasetFunction(
      "range", [](const InputContext&) { return Dataset::Range(2); });
  const WorkerDataset endless = strategy.DatasetFunction(
      "endless", [](const InputContext&) { return Dataset::Range(1000000); });
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_PARAMETER_SERVER_COORDINATOR_PROCESSES_COUNTING_PROGRAM_TESTING_H_
