// The contexts that a strategy installs on threads: that of its scope, and that
// of each replica, in which replicas talk to each other.
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

// The replicas of one strategy: what its contexts and variables share, and what
// says whether a variable belongs to the strategy that uses it.
struct Replicas {
  Topology topology;
  // One a replica that is here, as are the groups, through which each talks to
  // all replicas.
  std::vector<Device*> devices;
  std::vector<std::unique_ptr<Group>> groups;
  // Where those that are here meet; nullptr without a strategy.
  std::shared_ptr<Rendezvous> rendezvous;
  // What the workers do together in cross-replica context; nullptr: one worker.
  std::shared_ptr<WorkerGroup> workers = nullptr;
};

using ReplicasPtr = std::shared_ptr<const Replicas>;

class Strategy;

// What the contexts of a strategy have in common.
class StrategyContext : public DistributionContext {
 public:
  StrategyContext(Strategy& strategy, ReplicasPtr replicas)
      : strategy_(&strategy), replicas_(std::move(replicas)) {}

  bool has_strategy() const override { return true; }
  int num_replicas_in_sync() const override {
    return replicas_->topology.num_replicas_in_sync();
  }

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

  // Errors: FailedPrecondition: no replica calls.
  std::vector<std::vector<Tensor>> ExchangeValues(
      const std::vector<Tensor>& values) override;

 protected:
  // Errors: FailedPrecondition likewise.
  std::vector<Tensor> ReduceValues(ReduceOp op,
                                   const std::vector<Tensor>& values) override;
};

// What a replica function may ask and do while Run runs it.
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
// All replicas make these calls in the same order; a gradient tape follows
// AllReduce and AllGather, and playing it back communicates too. Errors reach
// everybody and leave nobody waiting: FailedPrecondition where replicas call
// different things or one returns while others wait; InvalidArgument for shapes
// that do not fit; Cancelled when another replica failed.
class ReplicaContext final : public StrategyContext {
 public:
  ReplicaContext(Strategy& strategy, ReplicasPtr replicas, LocalIndex replica);

  bool has_strategy() const override {
    return replicas()->rendezvous != nullptr;
  }
  ReplicaId replica_id_in_sync_group() const override {
    return replicas()->topology.GlobalId(replica_);
  }
  // Its place among the replicas that are here.
  LocalIndex local_index() const { return replica_; }
  // The replica's own device: one entry.
  std::vector<Device*> devices() const {
    return {replicas()->devices[replica_]};
  }

  // The sum or mean over all replicas; the mean of integers is float64.
  using DistributionContext::AllReduce;
  Tensor AllReduce(ReduceOp op, const Tensor& value);
  Structure AllReduce(ReduceOp op, const Structure& value);

  // How the replica talks to all others; no tape follows what it does.
  Group& group() const { return *replicas()->groups[replica_]; }

  // All replicas' values joined along `axis` in replica order; lengths along it
  // may differ. Leaf by leaf for a structure.
  Tensor AllGather(const Tensor& value, int axis);
  Structure AllGather(const Structure& value, int axis);
  // All replicas' values, entry r from replica r.
  PerReplica<Tensor> Exchange(const Tensor& value);
  std::vector<std::vector<Tensor>> ExchangeValues(
      const std::vector<Tensor>& values) override;
  // What replica `root` brought.
  Tensor Broadcast(const Tensor& value, int root);

  void MergeCall(const std::function<void()>& function) override;
  // function(strategy, PerReplica of each argument) runs once, in cross-replica
  // context, on replica 0's thread; every replica gets what it returns.
  template <typename Function, typename... Args>
  requires std::invocable<const Function&, Strategy&, PerReplica<Args>...>
  auto MergeCall(const Function& function, const Args&... args);

  // The calling thread's replica of any strategy; nullptr outside Run.
  static ReplicaContext* Current() {
    return dynamic_cast<ReplicaContext*>(StrategyContext::Current());
  }

 private:
  std::vector<Tensor> ReduceValues(ReduceOp op,
                                   const std::vector<Tensor>& values) override;
  // The first member of what a replica brings to a merge call.
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
