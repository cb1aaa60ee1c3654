#include "reference/autodiff/variable.h"

#include <functional>
#include <utility>

#include "reference/autodiff/gradient_tape.h"
#include "reference/autodiff/update_in_place.h"
#include "reference/autodiff/variable_uses.h"
#include "reference/base/check.h"
#include "reference/base/error.h"
#include "reference/kernels/movement/movement.h"

namespace lockstep {
namespace {

thread_local VariableCreatorScope* innermost_scope = nullptr;

}  // namespace

std::vector<Trackable::Value> Variable::values() {
  Value value;
  value.attribute = "VARIABLE_VALUE";
  value.full_name = name();
  value.spec = {shape(), dtype()};
  value.save = [this] { return ValueToSave(); };
  value.restore = [this](const Tensor& stored) { RestoreValue(stored); };
  return {std::move(value)};
}

Tensor Variable::ReadRows(const Tensor& indices) const {
  const Tensor value = Read();
  Tensor rows = kernels::Gather(value, indices);
  RecordGather(value, value.shape(), indices, rows);
  return rows;
}

void Variable::Update(
    std::string_view name, std::span<const Tensor> inputs,
    const std::function<void(Tensor&, std::span<const Tensor>)>& rule) {
  UpdateTogether(
      name, {this}, inputs,
      [&rule](std::span<Tensor* const> values,
              std::span<const Tensor> tensors) { rule(*values[0], tensors); });
}

void UpdateTogether(std::string_view name,
                    const std::vector<Variable*>& variables,
                    std::span<const Tensor> inputs, const UpdateRule& rule) {
  for (const Variable* variable : variables) {
    if (VariableHome* home = variable->home()) {
      return home->UpdateTogether(name, variables, inputs, rule);
    }
  }
  std::vector<LocalVariable*> copies;
  copies.reserve(variables.size());
  for (Variable* variable : variables) {
    copies.push_back(&variable->OwnCopy(name));
  }
  std::vector<Tensor*> values;
  values.reserve(copies.size());
  for (LocalVariable* copy : copies) values.push_back(&copy->UnsharedValue());
  rule(values, inputs);
}

VariablePtr MakeVariable(const VariableOptions& options) {
  VariableCreatorScope* scope = innermost_scope;
  if (scope == nullptr) return std::make_shared<LocalVariable>(options);
  // While a creator runs, MakeVariable calls the next outer one.
  struct Restore {
    VariableCreatorScope* scope;
    ~Restore() { innermost_scope = scope; }
  } restore{scope};
  innermost_scope = scope->outer_;
  return scope->creator_(options);
}

VariableCreatorScope::VariableCreatorScope(VariableCreator creator)
    : creator_(std::move(creator)), outer_(innermost_scope) {
  innermost_scope = this;
}

VariableCreatorScope::~VariableCreatorScope() {
  LOCKSTEP_CHECK(innermost_scope == this);
  innermost_scope = outer_;
}

namespace {

using autodiff_internal::NoteVariableUse;
using autodiff_internal::UpdateInPlace;

// Copies the value if other tensors share its memory, before it is changed.
void MakeUnique(Tensor& value) {
  value = value.unique() ? value.WithNewId() : value.Clone(value.device());
}

}  // namespace

LocalVariable::LocalVariable(const VariableOptions& options)
    : options_(options) {
  if (!options_.initial_value) {
    throw InvalidArgument("[Variable] '{}' has no initial value",
                          options_.name);
  }
  autodiff_internal::CheckMayMakeVariable(options_.name);
  value_ = options_.initial_value().WithNewId();
  options_.initial_value = nullptr;
  shape_ = value_.shape();
  dtype_ = value_.dtype();
}

Tensor LocalVariable::Peek() const {
  std::lock_guard lock(mutex_);
  NoteVariableUse(*this, value_, VariableUse::kRead);
  return value_;
}

Tensor LocalVariable::Read() const {
  Tensor value = Peek();
  RecordVariableRead(*this, value);
  return value;
}

void LocalVariable::CheckFits(const char* operation,
                              const Tensor& value) const {
  if (value.dtype() == dtype_ && value.shape() == shape_) return;
  throw InvalidArgument("[{}] variable '{}' is {} {}, got {}", operation,
                        options_.name, DTypeName(dtype_), ToString(shape_),
                        Describe(value));
}

void LocalVariable::Assign(const Tensor& value) {
  CheckFits("Assign", value);
  std::lock_guard lock(mutex_);
  NoteVariableUse(*this, value_, VariableUse::kChanged);
  // A variable stays on its device.
  if (value_.on_host()) {
    value_ = value.ToHost().WithNewId();
  } else {
    WriteOnGpu(value);
  }
}

// Writes into the existing memory, where a captured step expects the value,
// unless another tensor shares it.
void LocalVariable::WriteOnGpu(const Tensor& value) {
  if (value_.unique()) {
    value_ = value_.WithNewId();
    value_.CopyFrom(value);
  } else {
    value_ = value.Clone(value_.device());
  }
}

void LocalVariable::AssignAdd(const Tensor& delta) {
  CheckFits("AssignAdd", delta);
  std::lock_guard lock(mutex_);
  NoteVariableUse(*this, value_, VariableUse::kChanged);
  MakeUnique(value_);
  UpdateInPlace("AssignAdd", value_, delta, std::plus<>());
}

void LocalVariable::AssignSub(const Tensor& delta) {
  CheckFits("AssignSub", delta);
  std::lock_guard lock(mutex_);
  NoteVariableUse(*this, value_, VariableUse::kChanged);
  MakeUnique(value_);
  UpdateInPlace("AssignSub", value_, delta, std::minus<>());
}

Tensor& LocalVariable::UnsharedValue() {
  NoteVariableUse(*this, value_, VariableUse::kChanged);
  MakeUnique(value_);
  return value_;
}

}  // namespace lockstep
