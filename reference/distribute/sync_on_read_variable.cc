#include "reference/distribute/sync_on_read_variable.h"

#include <type_traits>

#include "reference/autodiff/gradient_tape.h"
#include "reference/base/error.h"
#include "reference/collectives/cross_device_ops.h"

namespace lockstep {
namespace {

// `parts` tensors whose sum is `value`: equal ones, but for an integer's
// remainder, which the first one gets.
std::vector<Tensor> DivideAmong(const Tensor& value, int parts) {
  const Tensor whole_value = value.ToHost();
  std::vector<Tensor> shares;
  for (int part = 0; part < parts; ++part) {
    Tensor share = whole_value.Clone(whole_value.device());
    VisitDType(value.dtype(), [&]<typename T>() {
      if constexpr (kIsNumber<T> && !std::is_same_v<T, bool>) {
        T* data = share.mutable_data<T>();
        const auto count = static_cast<T>(parts);
        for (int64_t i = 0; i < share.num_elements(); ++i) {
          const T whole = data[i];
          data[i] = static_cast<T>(whole / count);
          if constexpr (std::is_integral_v<T>) {
            if (part == 0) data[i] = static_cast<T>(data[i] + whole % count);
          }
        }
      } else {
        throw InvalidArgument("[Assign] {} values have no SUM",
                              DTypeName(value.dtype()));
      }
    });
    shares.push_back(share.To(value.device()));
  }
  return shares;
}

}  // namespace

void SyncOnReadVariable::FailWithoutAggregation(const char* operation) const {
  throw InvalidArgument(
      "[{}] variable '{}' has aggregation NONE, so its {} copies are no single "
      "value; ask for SUM, MEAN or ONLY_FIRST_REPLICA",
      operation, name(), num_copies());
}

Tensor SyncOnReadVariable::Aggregated(const char* operation) const {
  switch (aggregation()) {
    case VariableAggregation::kSum:
      return ReduceTo(*group().devices[0], ReduceOp::kSum, Copies());
    case VariableAggregation::kMean:
      return ReduceTo(*group().devices[0], ReduceOp::kMean, Copies());
    case VariableAggregation::kOnlyFirstReplica:
      return copy(0);
    case VariableAggregation::kNone:
      break;
  }
  FailWithoutAggregation(operation);
}

Tensor SyncOnReadVariable::Read() const {
  const ReplicaContext* replica = CallingReplica("Read");
  const Tensor value =
      replica ? copy(replica->replica_id_in_sync_group()) : Aggregated("Read");
  RecordVariableRead(*this, value);
  return value;
}

void SyncOnReadVariable::AssignTogether(const char* operation,
                                        const Tensor& value) {
  if (aggregation() == VariableAggregation::kNone) {
    FailWithoutAggregation(operation);
  }
  if (aggregation() != VariableAggregation::kSum) return AssignAll(value);
  const std::vector<Tensor> shares = DivideAmong(value, num_copies());
  for (int r = 0; r < num_copies(); ++r) {
    local(r).Assign(BroadcastTo({group().devices[r]}, shares[r])[0]);
  }
}

void SyncOnReadVariable::Assign(const Tensor& value) {
  const ReplicaContext* replica = CallingReplica("Assign");
  if (replica == nullptr) return AssignTogether("Assign", value);
  local(*replica).Assign(value);
}

void SyncOnReadVariable::Change(const char* operation, Update update,
                                const Tensor& delta) {
  const ReplicaContext* replica = CallingReplica(operation);
  if (replica != nullptr) {
    (local(*replica).*update)(delta);
    return;
  }
  if (aggregation() == VariableAggregation::kNone) {
    FailWithoutAggregation(operation);
  }
  if (aggregation() == VariableAggregation::kSum) {
    throw InvalidArgument(
        "[{}] SyncOnReadVariable '{}' with aggregation SUM does not support it "
        "in cross-replica context; use Assign",
        operation, name());
  }
  const std::vector<Tensor> deltas = BroadcastTo(group().devices, delta);
  for (int r = 0; r < num_copies(); ++r) (local(r).*update)(deltas[r]);
}

void SyncOnReadVariable::AssignAdd(const Tensor& delta) {
  Change("AssignAdd", &LocalVariable::AssignAdd, delta);
}

void SyncOnReadVariable::AssignSub(const Tensor& delta) {
  Change("AssignSub", &LocalVariable::AssignSub, delta);
}

}  // namespace lockstep
