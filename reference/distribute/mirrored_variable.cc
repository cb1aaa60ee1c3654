#include "reference/distribute/mirrored_variable.h"

#include "reference/autodiff/gradient_tape.h"
#include "reference/base/error.h"

namespace lockstep {
namespace {

// Without an aggregation there is no telling whose value counts, and silently
// taking each replica's own would let the copies diverge.
Tensor OnlyWhenEqual(const char* operation, const std::string& name,
                     const PerReplica<Tensor>& values) {
  for (int replica = 1; replica < values.size(); ++replica) {
    if (BitwiseEqual(values[replica], values[0])) continue;
    throw InvalidArgument(
        "[{}] variable '{}' has aggregation NONE, so all replicas must bring "
        "the same value; replica {}'s differs from replica 0's",
        operation, name, replica);
  }
  return values[0];
}

}  // namespace

Tensor MirroredVariable::Read() const {
  const ReplicaContext* replica = CallingReplica("Read");
  const Tensor value = copy(replica ? replica->replica_id_in_sync_group() : 0);
  RecordVariableRead(*this, value);
  return value;
}

Tensor MirroredVariable::Aggregate(const char* operation,
                                   ReplicaContext& replica,
                                   const Tensor& value) const {
  switch (aggregation()) {
    case VariableAggregation::kSum:
      return replica.AllReduce(ReduceOp::kSum, value);
    case VariableAggregation::kMean:
      return replica.AllReduce(ReduceOp::kMean, value);
    case VariableAggregation::kOnlyFirstReplica:
      return replica.Broadcast(value, 0);
    case VariableAggregation::kNone:
      break;
  }
  return OnlyWhenEqual(operation, name(), replica.Exchange(value));
}

void MirroredVariable::Apply(const char* operation, Update update,
                             const Tensor& value) {
  ReplicaContext* replica = CallingReplica(operation);
  if (replica != nullptr) {
    const Tensor aggregated = Aggregate(operation, *replica, value);
    (local(*replica).*update)(aggregated);
    return;
  }
  const std::vector<Tensor> values = BroadcastTo(group().devices, value);
  for (int r = 0; r < num_copies(); ++r) (local(r).*update)(values[r]);
}

void MirroredVariable::Assign(const Tensor& value) {
  Apply("Assign", &LocalVariable::Assign, value);
}

void MirroredVariable::AssignAdd(const Tensor& delta) {
  Apply("AssignAdd", &LocalVariable::AssignAdd, delta);
}

void MirroredVariable::AssignSub(const Tensor& delta) {
  Apply("AssignSub", &LocalVariable::AssignSub, delta);
}

}  // namespace lockstep
