#include "reference/distribute/replica_context.h"

#include <numeric>

#include "reference/autodiff/gradient_tape.h"
#include "reference/base/error.h"
#include "reference/collectives/cross_device_ops.h"
#include "reference/kernels/movement/movement.h"

namespace lockstep {

std::vector<Tensor> CrossReplicaContext::ReduceValues(
    ReduceOp /*op*/, const std::vector<Tensor>& /*values*/) {
  throw FailedPrecondition(
      "[AllReduce] must be called by a replica inside Run; in cross-replica "
      "context use "
      "{}",
      "Strategy::Reduce");
}

std::vector<std::vector<Tensor>> CrossReplicaContext::ExchangeValues(
    const std::vector<Tensor>& /*values*/) {
  throw FailedPrecondition(
      "[ExchangeValues] must be called by a replica inside Run");
}

std::vector<std::vector<Tensor>> CrossReplicaContext::GatherFromWorkers(
    std::string_view operation,
    const std::function<std::vector<Tensor>()>& local) {
  if (replicas()->workers == nullptr) return {local()};
  return replicas()->workers->AllGather({.operation = operation}, local);
}

ReplicaContext::ReplicaContext(Strategy& strategy, ReplicasPtr replicas,
                               LocalIndex replica)
    : StrategyContext(strategy, std::move(replicas)), replica_(replica) {}

std::vector<Tensor> ReplicaContext::ReduceValues(
    ReduceOp op, const std::vector<Tensor>& values) {
  return group().AllReduce(op, values, {}).Wait();
}

Tensor ReplicaContext::AllReduce(ReduceOp op, const Tensor& value) {
  return AllReduce(op, std::vector<Tensor>{value})[0];
}

Structure ReplicaContext::AllReduce(ReduceOp op, const Structure& value) {
  return value.PackLike(AllReduce(op, value.Flatten()));
}

PerReplica<Tensor> ReplicaContext::Exchange(const Tensor& value) {
  std::vector<Tensor> values;
  for (const TensorList& list : group().AllGather({value}, {}).Wait()) {
    values.push_back(list[0]);
  }
  return PerReplica<Tensor>(std::move(values));
}

std::vector<std::vector<Tensor>> ReplicaContext::ExchangeValues(
    const std::vector<Tensor>& values) {
  std::vector<TensorList> lists = group().AllGather(values, {}).Wait();
  for (TensorList& list : lists) {
    list = collectives_internal::Reachable(list, Device::Current());
  }
  return lists;
}

Tensor ReplicaContext::AllGather(const Tensor& value, int axis) {
  const PerReplica<Tensor> parts = Exchange(value);
  const Tensor joined = kernels::Concat(
      collectives_internal::Reachable(parts.values(), Device::Current()), axis);
  std::vector<int64_t> lengths;
  for (const Tensor& part : parts) {
    lengths.push_back(part.dim(axis < 0 ? axis + part.rank() : axis));
  }
  // Every replica differentiates its own joined value: dx is the sum of all
  // replicas' gradients of x's part.
  RecordOperation(
      {value}, joined,
      [this, axis, lengths = std::move(lengths)](const Tensor& gradient,
                                                 std::span<const bool>) {
        const TensorList parts = kernels::Split(gradient, lengths, axis);
        return std::vector<std::optional<Tensor>>{
            group().ReduceScatter(ReduceOp::kSum, parts, {}).Wait()};
      });
  return joined;
}

Structure ReplicaContext::AllGather(const Structure& value, int axis) {
  return value.Map<Tensor>(
      [&](const Tensor& leaf) { return AllGather(leaf, axis); });
}

Tensor ReplicaContext::Broadcast(const Tensor& value, int root) {
  return group().Broadcast({value}, root, {}).Wait()[0];
}

void ReplicaContext::MergeCall(const std::function<void()>& function) {
  const MergeFrame frame{&typeid(MergeFrame)};
  Merge(frame, [&](std::span<const void* const>) { function(); });
}

void ReplicaContext::Merge(
    const MergeFrame& frame,
    const std::function<void(std::span<const void* const>)>& function) {
  const auto merged = [&](std::span<const void* const> frames) {
    for (const void* other : frames) {
      if (*static_cast<const MergeFrame*>(other)->call == *frame.call) continue;
      throw FailedPrecondition(
          "[MergeCall] replicas disagree: they make different merge calls in "
          "a group of {}",
          num_replicas_in_sync());
    }
    CrossReplicaContext context(strategy(), replicas());
    DistributionContextScope scope(context);
    function(frames);
  };
  if (has_strategy()) {
    replicas()->rendezvous->Merge(replica_, &frame, merged);
  } else {
    const void* only = &frame;
    function({&only, 1});
  }
}

}  // namespace lockstep
