#include "reference/distribute/distributed_variable_creation.h"

#include <memory>

#include "reference/base/error.h"
#include "reference/distribute/mirrored_variable.h"
#include "reference/distribute/sync_on_read_variable.h"

namespace lockstep::distribute_internal {
namespace {

VariablePtr Create(const ReplicaGroupPtr& group,
                   const VariableOptions& options) {
  if (options.synchronization == VariableSynchronization::kNone) {
    throw InvalidArgument(
        "[Variable] `NONE` variable synchronization mode is not supported, got "
        "it for '{}'",
        options.name);
  }
  VariablePtr variable;
  if (options.synchronization == VariableSynchronization::kOnRead) {
    variable = std::make_shared<SyncOnReadVariable>(group, options);
  } else {
    variable = std::make_shared<MirroredVariable>(group, options);
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

VariablePtr CreateDistributedVariable(const ReplicaGroupPtr& group,
                                      const VariableOptions& options) {
  ReplicaContext* replica = ReplicaContext::Current();
  if (replica == nullptr) return Create(group, options);
  return replica->MergeCall(
      [&](Strategy&, const PerReplica<VariableOptions>& all) {
        CheckSameName(all);
        return Create(group, all[0]);
      },
      options);
}

}  // namespace lockstep::distribute_internal
