#include "reference/autodiff/local_variable.h"

#include <functional>
#include <utility>

#include "reference/autodiff/gradient_tape.h"
#include "reference/autodiff/update_in_place.h"
#include "reference/base/error.h"

namespace lockstep {
namespace {

using autodiff_internal::NoteVariableUse;
using autodiff_internal::UpdateInPlace;

// Makes sure that nobody else sees the change that follows.
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
  // A variable stays where it is.
  if (value_.on_host()) {
    value_ = value.ToHost().WithNewId();
  } else {
    WriteOnGpu(value);
  }
}

// A captured step finds the value where it was: its memory is kept, unless
// somebody else reads it.
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

Tensor& LocalVariable::MutableLocalValue() {
  NoteVariableUse(*this, value_, VariableUse::kChanged);
  MakeUnique(value_);
  return value_;
}

}  // namespace lockstep
