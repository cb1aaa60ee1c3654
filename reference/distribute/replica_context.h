// The contexts that a strategy installs on threads: that of its scope, and that
// of each replica, through which replicas communicate.
#ifndef LOCKSTEP_REFERENCE_DISTRIBUTE_REPLICA_CONTEXT_H_
#define LOCKSTEP_REFERENCE_DISTRIBUTE_REPLICA_CONTEXT_H_

#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include "reference/autodiff/distribution_context.h"
#include "reference/cluster/topology.h"
#include "reference/collectives/group.h"
#include "reference/collectives/hierarchical/worker_group.h"
#include "reference/collectives/reduce_op.h"
#include "reference/collectives/rendezvous.h"
#include "reference/device/device.h"
#include "reference/distribute/per_replica.h"
#include "reference/tensor/nest.h"

namespace lockstep {

// The replicas of one strategy, shared by its contexts and variables. A
// variable belongs to a strategy if both have the same object.
struct Replicas {
  Topology topology;
  // One per local replica. So are the groups, through which each communicates
  // with all replicas.
  std::vector<Device*> devices;
  std::vector<std::unique_ptr<Group>> groups;
  // Where the local replicas meet; nullptr without a strategy.
  std::shared_ptr<Rendezvous> rendezvous;
  // The collectives of workers in cross-replica context; nullptr: one worker.
  std::shared_ptr<WorkerGroup> workers = nullptr;
};

using ReplicasPtr = std::shared_ptr<const Replicas>;

class Strategy;

// Base class of the contexts of a strategy.
class StrategyContext : public DistributionContext {
 public:
  StrategyContext(Strategy& strategy, ReplicasPtr replicas)
      : strategy_(&strategy), replicas_(std::move(replicas)) {}

  bool has_strategy() const override { return true; }
  int num_replicas_in_sync() const override {
    return replicas_->topology.num_replicas_in_sync();
  }

  int num_workers() const override { return replicas_->topology.num_workers(); }
  int worker() const override { return replicas_->topology.worker().value(); }

  Strategy& strategy() const { return *strategy_; }
  const ReplicasPtr& replicas() const { return replicas_; }

  // The calling thread's context, nullptr without a strategy.
  static StrategyContext* Current() {
    DistributionContext& current = DistributionContext::Current();
    if (!current.has_strategy()) return nullptr;
    return dynamic_cast<StrategyContext*>(&current);
  }

 private:
  Strategy* strategy_;
  ReplicasPtr replicas_;
};

// Inside a strategy's scope, outside Run.
class CrossReplicaContext final : public StrategyContext {
 public:
  using StrategyContext::StrategyContext;

  bool in_cross_replica_context() const override { return true; }

  // Errors: FailedPrecondition, as the caller is not a replica.
  std::vector<std::vector<Tensor>> ExchangeValues(
      const std::vector<Tensor>& values) override;
  std::vector<std::vector<Tensor>> GatherFromWorkers(
      std::string_view operation,
      const std::function<std::vector<Tensor>()>& local) override;

 protected:
  // Errors: FailedPrecondition, for the same reason.
  std::vector<Tensor> ReduceValues(ReduceOp op,
                                   const std::vector<Tensor>& values) override;
};

// The context of a replica function while Run runs it.
//
//   strategy.Run([](const Tensor& x) {
//     ReplicaContext& replica = GetReplicaContext();
//     replica.replica_id_in_sync_group().value();          // 0 .. N - 1
//     Tensor sum = replica.AllReduce(ReduceOp::kSum, x);   // same on all
//     Tensor all = replica.AllGather(x, /*axis=*/0);       // joined, on all
//     return replica.MergeCall([](Strategy& strategy, PerReplica<Tensor> xs) {
//       return strategy.Reduce(ReduceOp::kMean, xs);       // runs once
//     }, x);
//   }, inputs);
//
// All replicas must make these calls in the same order. A gradient tape records
// AllReduce and AllGather; their gradients communicate too. An error reaches
// all replicas, and none is left waiting: FailedPrecondition if replicas make
// different calls or one returns while others wait; InvalidArgument for shapes
// that do not match; Cancelled if another replica failed.
class ReplicaContext final : public StrategyContext {
 public:
  ReplicaContext(Strategy& strategy, ReplicasPtr replicas, LocalIndex replica);

  bool has_strategy() const override {
    return replicas()->rendezvous != nullptr;
  }
  ReplicaId replica_id_in_sync_group() const override {
    return replicas()->topology.GlobalId(replica_);
  }
  // The index of the replica among the local ones.
  LocalIndex local_index() const { return replica_; }
  // The replica's device: one entry.
  std::vector<Device*> devices() const {
    return {replicas()->devices[replica_]};
  }

  // The sum or mean over all replicas; the mean of integers is float64.
  using DistributionContext::AllReduce;
  Tensor AllReduce(ReduceOp op, const Tensor& value);
  Structure AllReduce(ReduceOp op, const Structure& value);

  // The replica's communication with all others, not recorded by tapes.
  Group& group() const { return *replicas()->groups[replica_]; }

  // The values of all replicas concatenated along `axis` in replica order;
  // lengths along it may differ. Leaf by leaf for a structure.
  Tensor AllGather(const Tensor& value, int axis);
  Structure AllGather(const Structure& value, int axis);
  // All replicas' values, entry r from replica r.
  PerReplica<Tensor> Exchange(const Tensor& value);
  std::vector<std::vector<Tensor>> ExchangeValues(
      const std::vector<Tensor>& values) override;
  // The value of replica `root`.
  Tensor Broadcast(const Tensor& value, int root);

  void MergeCall(const std::function<void()>& function) override;
  // function(strategy, PerReplica of each argument) runs once, in cross-replica
  // context, on replica 0's thread; every replica gets what it returns.
  template <typename Function, typename... Args>
  requires std::invocable<const Function&, Strategy&, PerReplica<Args>...>
  auto MergeCall(const Function& function, const Args&... args);

  // The replica of the calling thread, of any strategy; nullptr outside Run.
  static ReplicaContext* Current() {
    return dynamic_cast<ReplicaContext*>(StrategyContext::Current());
  }

 private:
  std::vector<Tensor> ReduceValues(ReduceOp op,
                                   const std::vector<Tensor>& values) override;
  // The first member of a replica's frame of a merge call.
  struct MergeFrame {
    const std::type_info* call;  // which MergeCall it is
  };
  void Merge(const MergeFrame& frame,
             const std::function<void(std::span<const void* const>)>& function);

  LocalIndex replica_;
};

template <typename Function, typename... Args>
requires std::invocable<const Function&, Strategy&, PerReplica<Args>...>
auto ReplicaContext::MergeCall(const Function& function, const Args&... args) {
  using Result =
      std::invoke_result_t<const Function&, Strategy&, PerReplica<Args>...>;
  constexpr bool kVoid = std::is_void_v<Result>;
  using Kept = std::conditional_t<kVoid, bool, std::decay_t<Result>>;
  struct Frame : MergeFrame {
    std::tuple<const Args*...> args;
    std::optional<Kept>* result;
  };
  std::optional<Kept> result;
  const Frame frame{{&typeid(Frame)}, {&args...}, &result};
  Merge(frame, [&](std::span<const void* const> arguments) {
    std::vector<const Frame*> frames;
    for (const void* argument : arguments) {
      frames.push_back(
          static_cast<const Frame*>(static_cast<const MergeFrame*>(argument)));
    }
    const auto gather = [&]<size_t... kIndex>(std::index_sequence<kIndex...>) {
      [[maybe_unused]] const auto column = [&]<size_t kArgument>() {
        using Arg = std::tuple_element_t<kArgument, std::tuple<Args...>>;
        std::vector<Arg> values;
        for (const Frame* f : frames) {
          values.push_back(*std::get<kArgument>(f->args));
        }
        return PerReplica<Arg>(std::move(values));
      };
      return function(strategy(), column.template operator()<kIndex>()...);
    };
    if constexpr (kVoid) {
      gather(std::index_sequence_for<Args...>());
    } else {
      const Kept value = gather(std::index_sequence_for<Args...>());
      for (const Frame* f : frames) f->result->emplace(value);
    }
  });
  if constexpr (!kVoid) return std::move(*result);
}

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DISTRIBUTE_REPLICA_CONTEXT_H_
