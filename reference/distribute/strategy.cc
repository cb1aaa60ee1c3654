#include "reference/distribute/strategy.h"

#include <algorithm>

#include "reference/base/error.h"
#include "reference/collectives/cross_device_ops.h"
#include "reference/distribute/default_strategy.h"
#include "reference/kernels/concat.h"

namespace lockstep {

using distribute_internal::ReduceOverReplicas;

void Strategy::CheckCrossReplica(const char* operation) const {
  DistributionContext::Current().CheckOutsideRun(
      operation,
      "a replica calls AllReduce, AllGather or MergeCall of "
      "GetReplicaContext()");
}

void Strategy::CheckReplicas(const char* operation, int got) const {
  if (got == num_replicas_in_sync()) return;
  throw InvalidArgument("[{}] the strategy has {} replicas, got values of {}",
                        operation, num_replicas_in_sync(), got);
}

Tensor Strategy::Reduce(ReduceOp op, const PerReplica<Tensor>& value,
                        const ReduceAxes& axes) const {
  CheckCrossReplica("Reduce");
  CheckReplicas("Reduce", value.size());
  return ReduceOverReplicas(op, value.values(), axes, *devices()[0]);
}

Structure Strategy::Reduce(ReduceOp op, const PerReplica<Structure>& value,
                           const ReduceAxes& axes) const {
  CheckReplicas("Reduce", value.size());
  return Regroup(value).Map<Tensor>(
      [&](const PerReplica<Tensor>& leaf) { return Reduce(op, leaf, axes); });
}

Tensor Strategy::Reduce(ReduceOp op, const Tensor& plain,
                        const ReduceAxes& axes) const {
  CheckCrossReplica("Reduce");
  if (op == ReduceOp::kSum && num_replicas_in_sync() > 1) {
    throw InvalidArgument(
        "[Reduce] a value that is not distributed, {}, cannot be reduced with "
        "ReduceOp.SUM over {} replicas",
        Describe(plain), num_replicas_in_sync());
  }
  if (axes.none()) return plain;
  return ReduceOverReplicas(op, {plain}, axes, *devices()[0]);
}

Structure Strategy::Reduce(ReduceOp op, const Structure& plain,
                           const ReduceAxes& axes) const {
  return plain.Map<Tensor>(
      [&](const Tensor& leaf) { return Reduce(op, leaf, axes); });
}

Tensor Strategy::Gather(const PerReplica<Tensor>& value, int axis) const {
  CheckCrossReplica("Gather");
  CheckReplicas("Gather", value.size());
  return kernels::Concat(
      collectives_internal::Reachable(value.values(), *devices()[0]), axis);
}

Structure Strategy::Gather(const PerReplica<Structure>& value, int axis) const {
  CheckReplicas("Gather", value.size());
  return Regroup(value).Map<Tensor>(
      [&](const PerReplica<Tensor>& leaf) { return Gather(leaf, axis); });
}

Tensor Strategy::Gather(const Tensor& plain, int /*axis*/) const {
  CheckCrossReplica("Gather");
  return plain;
}

DistributedDataset Strategy::DistributeDataset(
    const Dataset& dataset, const InputOptions& options) const {
  CheckCrossReplica("DistributeDataset");
  return lockstep::DistributeDataset(devices(), dataset, options);
}

DistributedDataset Strategy::DistributeDatasetsFromFunction(
    const DatasetFunction& function, const InputOptions& options) const {
  CheckCrossReplica("DistributeDatasetsFromFunction");
  return lockstep::DistributeDatasetsFromFunction(devices(), function, options);
}

Strategy& GetStrategy() {
  const StrategyContext* current = StrategyContext::Current();
  if (current != nullptr) return current->strategy();
  return DefaultStrategy::Get();
}

bool HasStrategy() { return DistributionContext::Current().has_strategy(); }

bool InCrossReplicaContext() {
  return DistributionContext::Current().in_cross_replica_context();
}

ReplicaContext& GetReplicaContext() {
  if (InCrossReplicaContext()) {
    throw FailedPrecondition(
        "[GetReplicaContext] there is no replica in cross-replica context; "
        "{}",
        "inside Run there is");
  }
  ReplicaContext* current = ReplicaContext::Current();
  if (current != nullptr) return *current;
  return DefaultStrategy::Get().replica_context();
}

namespace distribute_internal {

void CheckSameForm(const std::vector<Structure>& results) {
  for (size_t replica = 1; replica < results.size(); ++replica) {
    if (results[replica].SameFormAs(results[0])) continue;
    throw InvalidArgument(
        "[Run] results must have the same structure on all replicas; replica "
        "{} and replica 0 differ",
        replica);
  }
}

void CheckSameSize(const std::vector<size_t>& sizes) {
  for (size_t replica = 1; replica < sizes.size(); ++replica) {
    if (sizes[replica] == sizes[0]) continue;
    throw InvalidArgument(
        "[Run] results must have the same structure on all replicas; replica "
        "0 returned {} values, replica {} returned {}",
        sizes[0], replica, sizes[replica]);
  }
}

}  // namespace distribute_internal
}  // namespace lockstep
