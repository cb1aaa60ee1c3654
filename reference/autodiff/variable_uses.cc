#include "reference/autodiff/variable_uses.h"

#include <utility>

#include "reference/base/error.h"
#include "reference/device/capture_session.h"

namespace lockstep {
namespace {

thread_local VariableUses* current_uses = nullptr;

}  // namespace

namespace autodiff_internal {

void NoteVariableUse(const LocalVariable& variable, const Tensor& value,
                     VariableUse use) {
  if (current_uses != nullptr) current_uses->Note(variable, value, use);
}

void CheckMayMakeVariable(const std::string& name) {
  if (PrivateMemory::Current() == nullptr) return;
  throw FailedPrecondition(
      "[StepGraph] variable '{}' is made while the step is captured as a "
      "graph; make it before, or in the step's first call",
      name);
}

}  // namespace autodiff_internal

VariableUses::Scope::Scope(VariableUses& uses) : previous_(current_uses) {
  current_uses = &uses;
}

VariableUses::Scope::~Scope() { current_uses = previous_; }

void VariableUses::Note(const LocalVariable& variable, const Tensor& value,
                        VariableUse use) {
  const bool changed = use == VariableUse::kChanged;
  if (value.on_host() && PrivateMemory::Current() != nullptr) {
    throw FailedPrecondition(
        "[StepGraph] variable '{}' is on {} and is {} while the step is "
        "captured as a graph, which cannot use the host's memory; make it on "
        "the replica's GPU",
        variable.name(), value.device().name(), changed ? "changed" : "read");
  }
  std::lock_guard lock(mutex_);
  const auto [entry, first] = uses_.try_emplace(&variable);
  Use& noted = entry->second;
  if (first) {
    noted.variable = std::const_pointer_cast<LocalVariable>(
        variable.weak_from_this().lock());
    noted.name = variable.name();
    noted.address = const_cast<void*>(value.raw_data());
    noted.device = &value.device();
  }
  noted.changed |= changed;
}

void VariableUses::Unshare() const {
  for (const auto& [key, use] : uses_) {
    const auto variable = use.variable.lock();
    if (variable && use.changed) variable->UnsharedValue();
  }
}

std::optional<std::string> VariableUses::Moved() const {
  for (const auto& [key, use] : uses_) {
    const auto variable = use.variable.lock();
    if (!variable || variable->Peek().raw_data() != use.address) {
      return use.name;
    }
  }
  return std::nullopt;
}

void VariableUses::BringBack() const {
  for (const auto& [key, use] : uses_) {
    const auto variable = use.variable.lock();
    if (!variable || variable->Peek().raw_data() == use.address) continue;
    const Tensor value = variable->Peek();
    const Tensor before = Tensor::FromBuffer(
        Buffer::Wrap(*use.device, use.address, value.bytes(), nullptr, nullptr),
        value.shape(), value.dtype());
    variable->Assign(before.Clone(*use.device));
  }
}

}  // namespace lockstep
