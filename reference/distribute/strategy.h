// A distribution strategy: the replicas and how they work together.
//
//   MirroredStrategy strategy({"CPU:0", "CPU:1"});
//   VariablePtr w;
//   {
//     StrategyScope scope = strategy.Scope();
//     w = MakeVariable({...});                          // one copy per replica
//   }
//   PerReplica<Tensor> losses = strategy.Run(TrainStep, inputs);
//   Tensor loss =
//       strategy.Reduce(ReduceOp::kSum, losses, /*axis=*/std::nullopt);
//
// The default strategy has one replica, always in replica context, and its Run
// calls the function on the calling thread. Errors of all functions:
// InvalidArgument for values of another number of replicas; FailedPrecondition
// in a replica, which must use ReplicaContext::AllReduce, AllGather and
// MergeCall instead.
#ifndef LOCKSTEP_REFERENCE_DISTRIBUTE_STRATEGY_H_
#define LOCKSTEP_REFERENCE_DISTRIBUTE_STRATEGY_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "reference/autodiff/variable.h"
#include "reference/distribute/input/distributed_dataset.h"
#include "reference/distribute/per_replica.h"
#include "reference/distribute/replica_context.h"

namespace lockstep {

// The replica for which DistributeValuesFromFunction requests a value.
struct ValueContext {
  ReplicaId replica_id_in_sync_group{0};
  int num_replicas_in_sync = 1;
};

class Strategy;

// RAII for `with strategy.scope():` - variables made while it is open are
// distributed, and the thread is in the strategy's cross-replica context.
//
//   {
//     StrategyScope scope = strategy.Scope();
//     VariablePtr v = MakeVariable({...});        // a copy for each replica
//   }
//
// Scopes of the same strategy may be nested. Errors: FailedPrecondition if a
// scope of another strategy is open on this thread.
class StrategyScope {
 public:
  explicit StrategyScope(Strategy& strategy);
  // Closes the scope if Close was not called. Out of order, it stays in force
  // until the scopes inside it are closed, and logs a warning.
  ~StrategyScope();
  StrategyScope(const StrategyScope&) = delete;
  StrategyScope& operator=(const StrategyScope&) = delete;

  // Errors: FailedPrecondition if a scope opened later on this thread is still
  // open, or if called on another thread than the one that opened it.
  void Close();

 private:
  uint64_t id_;  // 0 when closed
};

class Strategy {
 public:
  virtual ~Strategy() = default;
  Strategy(const Strategy&) = delete;
  Strategy& operator=(const Strategy&) = delete;

  // The replicas, their workers, and which of them are local.
  const Topology& topology() const { return replicas_->topology; }
  int num_replicas_in_sync() const { return topology().num_replicas_in_sync(); }
  // One per local replica.
  const std::vector<Device*>& devices() const { return replicas_->devices; }
  const ReplicasPtr& replicas() const { return replicas_; }
  virtual bool is_default() const { return false; }

  [[nodiscard]] StrategyScope Scope() { return StrategyScope(*this); }

  // Calls function(args...) on every replica concurrently, with the replica's
  // component of every argument: its entry of a PerReplica (also inside a
  // Nest), anything else unchanged. Returns a PerReplica of the results, or
  // nothing. If replicas throw, Run throws the exception of the lowest one
  // (Cancelled never hides its cause) after all have stopped; the strategy can
  // be used again. Errors: InvalidArgument if results differ in structure;
  // FailedPrecondition inside Run.
  template <typename Function, typename... Args>
  auto Run(const Function& function, const Args&... args);

  // One value from all replicas; see ReduceOverReplicas. A plain value is the
  // same on every replica: its mean is itself; its sum over several replicas is
  // an InvalidArgument.
  Tensor Reduce(ReduceOp op, const PerReplica<Tensor>& value,
                const ReduceAxes& axes = std::nullopt) const;
  Structure Reduce(ReduceOp op, const PerReplica<Structure>& value,
                   const ReduceAxes& axes = std::nullopt) const;
  Tensor Reduce(ReduceOp op, const Tensor& plain,
                const ReduceAxes& axes = std::nullopt) const;
  Structure Reduce(ReduceOp op, const Structure& plain,
                   const ReduceAxes& axes = std::nullopt) const;

  // The replicas' values concatenated along `axis`, in order; a plain value is
  // returned unchanged. Errors: InvalidArgument for scalars or if other
  // dimensions differ.
  Tensor Gather(const PerReplica<Tensor>& value, int axis) const;
  Structure Gather(const PerReplica<Structure>& value, int axis) const;
  Tensor Gather(const Tensor& plain, int axis) const;

  // One entry per local replica; for a plain value one entry.
  template <typename T>
  std::vector<T> LocalResults(const PerReplica<T>& value) const {
    return value.values();
  }
  template <typename T>
  std::vector<T> LocalResults(const T& plain) const {
    return {plain};
  }

  // The free functions of the same names, for this strategy's replicas.
  DistributedDataset DistributeDataset(const Dataset& dataset,
                                       const InputOptions& options = {}) const;
  DistributedDataset DistributeDatasetsFromFunction(
      const DatasetFunction& function, const InputOptions& options = {}) const;

  // function(ValueContext) for every local replica, called on its device.
  template <typename Function>
  auto DistributeValuesFromFunction(const Function& function) const;

  // A variable with a copy for each replica, according to its synchronization.
  // MakeVariable calls it inside the scope and inside Run.
  virtual VariablePtr CreateVariable(const VariableOptions& options) = 0;

 protected:
  explicit Strategy(ReplicasPtr replicas) : replicas_(std::move(replicas)) {}

  using ReplicaBody = std::function<void(LocalIndex replica)>;
  // Calls body(replica) on every local replica and waits for all.
  virtual void RunReplicas(const ReplicaBody& body) = 0;

  // What the functions that distribute datasets return. Overridden where the
  // replicas of a process have several input pipelines, or rules for what their
  // input may be.
  virtual DistributedDataset MakeInput(const Dataset& dataset,
                                       const InputOptions& options) const;
  virtual DistributedDataset MakeInput(const DatasetFunction& function,
                                       const InputOptions& options) const;

 private:
  void CheckCrossReplica(const char* operation) const;
  void CheckReplicas(const char* operation, int got) const;
  template <typename T>
  void CheckArgument(const T&) const {}
  template <typename T>
  void CheckArgument(const PerReplica<T>& value) const {
    CheckReplicas("Run", value.size());
  }
  template <typename T>
  void CheckArgument(const Nest<PerReplica<T>>& nest) const {
    nest.ForEach([&](const PerReplica<T>& leaf) { CheckArgument(leaf); });
  }

  ReplicasPtr replicas_;
};

// The current strategy of the calling thread, else the default one.
Strategy& GetStrategy();
// Whether the current strategy is not the default one.
bool HasStrategy();
// Whether the thread is inside a strategy's scope and outside Run.
bool InCrossReplicaContext();
// The calling replica. Errors: FailedPrecondition in cross-replica context.
ReplicaContext& GetReplicaContext();

namespace distribute_internal {

// Errors: InvalidArgument if the replicas' results differ in structure.
void CheckSameForm(const std::vector<Structure>& results);
template <typename T>
void CheckSameForm(const std::vector<T>&) {}
void CheckSameSize(const std::vector<size_t>& sizes);
template <typename T>
void CheckSameForm(const std::vector<std::vector<T>>& results) {
  std::vector<size_t> sizes;
  for (const std::vector<T>& result : results) sizes.push_back(result.size());
  CheckSameSize(sizes);
}

}  // namespace distribute_internal

template <typename Function, typename... Args>
auto Strategy::Run(const Function& function, const Args&... args) {
  using distribute_internal::ComponentOf;
  (CheckArgument(args), ...);
  const auto call = [&]([[maybe_unused]] LocalIndex replica) -> decltype(auto) {
    return function(ComponentOf(args, replica)...);
  };
  using Result = std::decay_t<decltype(call(LocalIndex(0)))>;
  if constexpr (std::is_void_v<Result>) {
    RunReplicas(call);
  } else {
    std::vector<std::optional<Result>> results(devices().size());
    RunReplicas(
        [&](LocalIndex replica) { results[replica].emplace(call(replica)); });
    std::vector<Result> values;
    values.reserve(results.size());
    for (auto& result : results) values.push_back(std::move(*result));
    distribute_internal::CheckSameForm(values);
    return PerReplica<Result>(std::move(values));
  }
}

template <typename Function>
auto Strategy::DistributeValuesFromFunction(const Function& function) const {
  CheckCrossReplica("DistributeValuesFromFunction");
  using Value = std::decay_t<decltype(function(ValueContext()))>;
  std::vector<Value> values;
  for (LocalIndex r(0); r < topology().num_local_replicas(); ++r) {
    DeviceScope device(*devices()[r]);
    values.push_back(function(
        ValueContext{.replica_id_in_sync_group = topology().GlobalId(r),
                     .num_replicas_in_sync = num_replicas_in_sync()}));
  }
  return PerReplica<Value>(std::move(values));
}

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DISTRIBUTE_STRATEGY_H_
