// A distribution strategy: which replicas there are and how they work together.
//
//   MirroredStrategy strategy({"CPU:0", "CPU:1"});
//   VariablePtr w;
//   {
//     StrategyScope scope = strategy.Scope();
//     w = MakeVariable({...});                          // one copy a replica
//   }
//   PerReplica<Tensor> losses = strategy.Run(TrainStep, inputs);
//   Tensor loss =
//       strategy.Reduce(ReduceOp::kSum, losses, /*axis=*/std::nullopt);
//
// Without one there is the default strategy: one replica, always in replica
// context, Run calls the function where it is. Errors of all: InvalidArgument
// for values of another number of replicas; FailedPrecondition in a replica,
// which has ReplicaContext::AllReduce, AllGather and MergeCall instead.
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

// For which replica DistributeValuesFromFunction asks a value.
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
// The same strategy's scope may be opened again inside, to any depth. Errors:
// FailedPrecondition when another strategy's is open on this thread.
class StrategyScope {
 public:
  explicit StrategyScope(Strategy& strategy);
  // Closes it where Close was not called. Out of order it stays in force until
  // the scopes inside it are closed, and the log says so.
  ~StrategyScope();
  StrategyScope(const StrategyScope&) = delete;
  StrategyScope& operator=(const StrategyScope&) = delete;

  // Errors: FailedPrecondition when a scope opened later on this thread is
  // still open, or from another thread than the one that opened it.
  void Close();

 private:
  uint64_t id_;  // 0 when closed
};

class Strategy {
 public:
  virtual ~Strategy() = default;
  Strategy(const Strategy&) = delete;
  Strategy& operator=(const Strategy&) = delete;

  // Which replicas there are, on which workers, and which of them are here.
  const Topology& topology() const { return replicas_->topology; }
  int num_replicas_in_sync() const { return topology().num_replicas_in_sync(); }
  // One a replica that is here.
  const std::vector<Device*>& devices() const { return replicas_->devices; }
  const ReplicasPtr& replicas() const { return replicas_; }
  virtual bool is_default() const { return false; }

  [[nodiscard]] StrategyScope Scope() { return StrategyScope(*this); }

  // Calls function(args...) on every replica at once, with the replica's
  // component of every argument: its entry of a PerReplica (also inside a
  // Nest), anything else as it is. Returns a PerReplica of the results, or
  // nothing. An exception on a replica reaches the caller (the lowest
  // replica's; Cancelled never hides its cause) when all have stopped; the
  // strategy can be used again. Errors: InvalidArgument when results differ in
  // structure; FailedPrecondition inside Run.
  template <typename Function, typename... Args>
  auto Run(const Function& function, const Args&... args);

  // One value from all replicas; see ReduceOverReplicas. A plain value counts
  // as the same on every replica: its mean is itself, its sum over several
  // replicas an InvalidArgument.
  Tensor Reduce(ReduceOp op, const PerReplica<Tensor>& value,
                const ReduceAxes& axes = std::nullopt) const;
  Structure Reduce(ReduceOp op, const PerReplica<Structure>& value,
                   const ReduceAxes& axes = std::nullopt) const;
  Tensor Reduce(ReduceOp op, const Tensor& plain,
                const ReduceAxes& axes = std::nullopt) const;
  Structure Reduce(ReduceOp op, const Structure& plain,
                   const ReduceAxes& axes = std::nullopt) const;

  // The replicas' values joined along `axis`, in order; a plain value is
  // returned. Errors: InvalidArgument for scalars or other dimensions that
  // differ.
  Tensor Gather(const PerReplica<Tensor>& value, int axis) const;
  Structure Gather(const PerReplica<Structure>& value, int axis) const;
  Tensor Gather(const Tensor& plain, int axis) const;

  // One entry a replica of this process; of a plain value one entry.
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

  // function(ValueContext) for every replica that is here, made on its device.
  template <typename Function>
  auto DistributeValuesFromFunction(const Function& function) const;

  // A variable with a copy for each replica, as its synchronization says. What
  // MakeVariable does inside the scope and inside Run.
  virtual VariablePtr CreateVariable(const VariableOptions& options) = 0;

 protected:
  explicit Strategy(ReplicasPtr replicas) : replicas_(std::move(replicas)) {}

  using ReplicaBody = std::function<void(LocalIndex replica)>;
  // Calls body(replica) on every replica that is here and waits for all.
  virtual void RunReplicas(const ReplicaBody& body) = 0;

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

// The strategy in force on the calling thread, else the default one.
Strategy& GetStrategy();
// A strategy other than the default one is in force.
bool HasStrategy();
// Inside a strategy's scope, outside Run.
bool InCrossReplicaContext();
// The calling replica. Errors: FailedPrecondition in cross-replica context.
ReplicaContext& GetReplicaContext();

namespace distribute_internal {

// Errors: InvalidArgument when the replicas' results differ in structure.
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
