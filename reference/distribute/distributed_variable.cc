#include "reference/distribute/distributed_variable.h"

#include <fmt/format.h>

#include <utility>

#include "reference/base/error.h"

namespace lockstep {
namespace {

VariableOptions OptionsOfCopy(const VariableOptions& options, int replica,
                              const Tensor& value) {
  VariableOptions copy = options;
  if (replica > 0) copy.name += fmt::format("/replica_{}", replica);
  copy.initial_value = [value] { return value; };
  return copy;
}

}  // namespace

DistributedVariable::DistributedVariable(ReplicaGroupPtr group,
                                         const VariableOptions& options)
    : group_(std::move(group)) {
  if (!options.initial_value) {
    throw InvalidArgument("[Variable] '{}' has no initial value", options.name);
  }
  DeviceScope device(*group_->devices[0]);
  const Tensor initial = options.initial_value();
  for (const Tensor& value : BroadcastTo(group_->devices, initial)) {
    copies_.push_back(std::make_shared<LocalVariable>(
        OptionsOfCopy(options, num_copies(), value)));
  }
}

ReplicaContext* DistributedVariable::CallingReplica(
    const char* operation) const {
  ReplicaContext* replica = ReplicaContext::Current();
  if (replica == nullptr || replica->group() == group_) return replica;
  throw FailedPrecondition(
      "[{}] variable '{}' belongs to a strategy over {} replicas, got a "
      "replica "
      "of another strategy over {}",
      operation, name(), num_copies(), replica->num_replicas_in_sync());
}

Tensor& DistributedVariable::MutableLocalValue() {
  ReplicaContext* replica = CallingReplica("MutableLocalValue");
  if (replica != nullptr) return local(*replica).MutableLocalValue();
  if (num_copies() == 1) return local(0).MutableLocalValue();
  throw FailedPrecondition(
      "[MutableLocalValue] in cross-replica context variable '{}' has no copy "
      "of the caller's own, it has {}",
      name(), num_copies());
}

void DistributedVariable::AssignAll(const Tensor& value) {
  const std::vector<Tensor> values = BroadcastTo(group_->devices, value);
  for (int r = 0; r < num_copies(); ++r) local(r).Assign(values[r]);
}

std::vector<Tensor> DistributedVariable::Copies() const {
  std::vector<Tensor> values;
  for (const auto& variable : copies_) values.push_back(variable->Peek());
  return values;
}

}  // namespace lockstep
