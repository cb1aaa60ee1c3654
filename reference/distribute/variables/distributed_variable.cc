#include "reference/distribute/variables/distributed_variable.h"

#include <fmt/core.h>

#include <type_traits>
#include <utility>

#include "reference/autodiff/gradient_tape.h"
#include "reference/base/error.h"
#include "reference/collectives/cross_device_ops.h"
#include "reference/distribute/worker_collectives.h"
#include "reference/kernels/movement/movement.h"

namespace lockstep {
namespace {

using distribute_internal::ChiefsValue;
using distribute_internal::GatherFromAll;
using distribute_internal::ReduceOverAll;

VariableOptions OptionsOfCopy(const VariableOptions& options, int replica,
                              const Tensor& value) {
  VariableOptions copy = options;
  if (replica > 0) copy.name += fmt::format("/replica_{}", replica);
  copy.initial_value = [value] { return value; };
  return copy;
}

}  // namespace

DistributedVariable::DistributedVariable(ReplicasPtr replicas,
                                         const VariableOptions& options)
    : replicas_(std::move(replicas)) {
  if (!options.initial_value) {
    throw InvalidArgument("[Variable] '{}' has no initial value", options.name);
  }
  DeviceScope device(*replicas_->devices[0]);
  // The value of replica 0 of all workers is used.
  const Tensor initial = replicas_->workers
                             ? ChiefsValue(*replicas_, "Variable", options.name,
                                           options.initial_value)
                             : options.initial_value();
  for (const Tensor& value : BroadcastTo(replicas_->devices, initial)) {
    copies_.push_back(std::make_shared<LocalVariable>(
        OptionsOfCopy(options, num_copies(), value)));
  }
}

ReplicaContext* DistributedVariable::CallingReplica(
    std::string_view operation) const {
  ReplicaContext* replica = ReplicaContext::Current();
  if (replica == nullptr || replica->replicas() == replicas_) return replica;
  throw FailedPrecondition(
      "[{}] variable '{}' belongs to a strategy over {} replicas, got a "
      "replica "
      "of another strategy over {}",
      operation, name(), num_copies(), replica->num_replicas_in_sync());
}

LocalVariable& DistributedVariable::OwnCopy(std::string_view update) {
  const ReplicaContext* replica = CallingReplica(update);
  if (replica != nullptr) return local(*replica);
  if (num_copies() == 1) return local(0);
  throw FailedPrecondition(
      "[{}] in cross-replica context variable '{}' has no copy of the caller's "
      "own, it has {}",
      update, name(), num_copies());
}

void DistributedVariable::AssignAll(const Tensor& value) {
  const std::vector<Tensor> values = BroadcastTo(replicas_->devices, value);
  for (int r = 0; r < num_copies(); ++r) local(r).Assign(values[r]);
}

std::vector<Tensor> DistributedVariable::Copies() const {
  std::vector<Tensor> values;
  for (const auto& variable : copies_) values.push_back(variable->Peek());
  return values;
}

namespace {

// Without an aggregation it is unclear which value to use, and silently using
// each replica's own would let the copies diverge.
Tensor OnlyWhenEqual(const char* operation, const std::string& name,
                     const PerReplica<Tensor>& values) {
  for (int replica = 1; replica < values.size(); ++replica) {
    if (BitwiseEqual(values[replica], values[0])) continue;
    throw InvalidArgument(
        "[{}] variable '{}' has aggregation NONE, so all replicas must assign "
        "the same value; replica {}'s differs from replica 0's",
        operation, name, replica);
  }
  return values[0];
}

}  // namespace

Tensor MirroredVariable::Read() const {
  const ReplicaContext* replica = CallingReplica("Read");
  const Tensor value = copy(replica ? int{replica->local_index()} : 0);
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
  const std::vector<Tensor> values = BroadcastTo(replicas().devices, value);
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

namespace {

// Part `part` of `parts` tensors whose sum is `value`: equal, except that the
// first one gets an integer's remainder.
Tensor ShareOf(const Tensor& value, int part, int parts) {
  const Tensor whole_value = value.ToHost();
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
  return share;
}

}  // namespace

namespace {

Shape WithReplicas(int64_t replicas, const Shape& shape) {
  std::vector<int64_t> dims = {replicas};
  dims.insert(dims.end(), shape.dims().begin(), shape.dims().end());
  return Shape(dims);
}

}  // namespace

void SyncOnReadVariable::FailWithoutAggregation(const char* operation) const {
  throw InvalidArgument(
      "[{}] variable '{}' has aggregation NONE, so its {} copies have no "
      "single value; use SUM, MEAN or ONLY_FIRST_REPLICA",
      operation, name(), num_copies());
}

Tensor SyncOnReadVariable::Reduced(const char* operation, ReduceOp op) const {
  if (replicas().workers) {
    return ReduceOverAll(replicas(), operation, op, Copies(), std::nullopt);
  }
  return ReduceTo(*replicas().devices[0], op, Copies());
}

Tensor SyncOnReadVariable::Aggregated(const char* operation) const {
  switch (aggregation()) {
    case VariableAggregation::kSum:
      return Reduced(operation, ReduceOp::kSum);
    case VariableAggregation::kMean:
      return Reduced(operation, ReduceOp::kMean);
    case VariableAggregation::kOnlyFirstReplica:
      if (!replicas().workers) return copy(0);
      return ChiefsValue(replicas(), operation, name(),
                         [&] { return copy(0); });
    case VariableAggregation::kNone:
      break;
  }
  FailWithoutAggregation(operation);
}

Tensor SyncOnReadVariable::Read() const {
  const ReplicaContext* replica = CallingReplica("Read");
  const Tensor value =
      replica ? copy(replica->local_index()) : Aggregated("Read");
  RecordVariableRead(*this, value);
  return value;
}

void SyncOnReadVariable::AssignTogether(const char* operation,
                                        const Tensor& value) {
  if (aggregation() == VariableAggregation::kNone) {
    FailWithoutAggregation(operation);
  }
  if (aggregation() != VariableAggregation::kSum) return AssignAll(value);
  const Topology& topology = replicas().topology;
  for (LocalIndex r(0); r < num_copies(); ++r) {
    const Tensor share = ShareOf(value, topology.GlobalId(r).value(),
                                 topology.num_replicas_in_sync());
    local(r).Assign(BroadcastTo({replicas().devices[r]}, share)[0]);
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
  const std::vector<Tensor> deltas = BroadcastTo(replicas().devices, delta);
  for (int r = 0; r < num_copies(); ++r) (local(r).*update)(deltas[r]);
}

Tensor SyncOnReadVariable::StackedCopies() const {
  std::vector<Tensor> rows;
  for (const Tensor& value : Copies()) {
    rows.push_back(value.Reshape(WithReplicas(1, shape())));
  }
  if (replicas().workers) return GatherFromAll(replicas(), rows, /*axis=*/0);
  return kernels::Concat(
      collectives_internal::Reachable(rows, *replicas().devices[0]),
      /*axis=*/0);
}

void SyncOnReadVariable::RestoreCopies(const Tensor& stacked) {
  const Topology& topology = replicas().topology;
  if (stacked.dim(0) != topology.num_replicas_in_sync()) return;
  for (LocalIndex r(0); r < num_copies(); ++r) {
    const Tensor own = stacked.Row(topology.GlobalId(r).value());
    local(r).Assign(BroadcastTo({replicas().devices[r]}, own)[0]);
  }
}

std::vector<Trackable::Value> SyncOnReadVariable::values() {
  std::vector<Value> values = Variable::values();
  const bool copies_add_up = aggregation() == VariableAggregation::kSum ||
                             aggregation() == VariableAggregation::kMean;
  if (copies_add_up && shape().rank() < Shape::kMaxRank) {
    // After the value of all copies together, which is restored first.
    values.push_back(
        {.attribute = "REPLICA_VALUES",
         .full_name = name() + "/replicas",
         .spec = {WithReplicas(kUnknownDim, shape()), dtype()},
         .save = [this] { return StackedCopies(); },
         .restore = [this](const Tensor& stored) { RestoreCopies(stored); },
         .of_each_replica = true});
  }
  return values;
}

void SyncOnReadVariable::AssignAdd(const Tensor& delta) {
  Change("AssignAdd", &LocalVariable::AssignAdd, delta);
}

void SyncOnReadVariable::AssignSub(const Tensor& delta) {
  Change("AssignSub", &LocalVariable::AssignSub, delta);
}

}  // namespace lockstep
