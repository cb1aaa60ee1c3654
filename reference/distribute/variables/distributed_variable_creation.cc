#include "reference/distribute/variables/distributed_variable_creation.h"

#include <memory>

#include "reference/base/error.h"
#include "reference/distribute/variables/distributed_variable.h"

namespace lockstep::distribute_internal {
namespace {

VariablePtr Create(const ReplicasPtr& replicas,
                   const VariableOptions& options) {
  if (options.synchronization == VariableSynchronization::kNone) {
    throw InvalidArgument(
        "[Variable] `NONE` variable synchronization mode is not supported, got "
        "it for '{}'",
        options.name);
  }
  VariablePtr variable;
  if (options.synchronization == VariableSynchronization::kOnRead) {
    variable = std::make_shared<SyncOnReadVariable>(replicas, options);
  } else {
    variable = std::make_shared<MirroredVariable>(replicas, options);
  }
  if (options.aggregation == VariableAggregation::kMean &&
      !IsFloating(variable->dtype())) {
    throw InvalidArgument(
        "[Variable] aggregation=MEAN and a non-floating dtype is not "
        "supported, got {} for '{}'",
        DTypeName(variable->dtype()), options.name);
  }
  return variable;
}

void CheckSameName(const PerReplica<VariableOptions>& options) {
  for (int replica = 1; replica < options.size(); ++replica) {
    if (options[replica].name == options[0].name) continue;
    throw FailedPrecondition(
        "[Variable] all replicas must make the same variable; replica 0 names "
        "it '{}', replica {} '{}'",
        options[0].name, replica, options[replica].name);
  }
}

}  // namespace

VariablePtr CreateDistributedVariable(const ReplicasPtr& replicas,
                                      const VariableOptions& options) {
  ReplicaContext* replica = ReplicaContext::Current();
  if (replica == nullptr) return Create(replicas, options);
  return replica->MergeCall(
      [&](Strategy&, const PerReplica<VariableOptions>& all) {
        CheckSameName(all);
        return Create(replicas, all[0]);
      },
      options);
}

}  // namespace lockstep::distribute_internal

namespace lockstep {
namespace {

// REQUIRES: same shape and dtype, and they differ.
int64_t FirstDifference(const Tensor& a, const Tensor& b) {
  const Tensor x = a.Reshape(Shape{a.num_elements()});
  const Tensor y = b.Reshape(Shape{b.num_elements()});
  int64_t i = 0;
  while (BitwiseEqual(x.Row(i), y.Row(i))) ++i;
  return i;
}

}  // namespace

void CheckReplicasEqual(const Variable& variable) {
  const auto* mirrored = dynamic_cast<const MirroredVariable*>(&variable);
  if (mirrored == nullptr) return;
  const Tensor first = mirrored->copy(0);
  for (int replica = 1; replica < mirrored->num_copies(); ++replica) {
    const Tensor other = mirrored->copy(replica);
    if (BitwiseEqual(first, other)) continue;
    throw Internal(
        "[CheckReplicasEqual] variable '{}' differs between replica 0 and "
        "replica {}, first in element {}",
        variable.name(), replica, FirstDifference(first, other));
  }
}

void CheckReplicasEqual(const std::vector<VariablePtr>& variables) {
  for (const VariablePtr& variable : variables) CheckReplicasEqual(*variable);
}

}  // namespace lockstep
