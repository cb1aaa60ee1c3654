#include "reference/parameter_server/server/update_in_progress.h"

#include <algorithm>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "reference/autodiff/indexed_slices.h"
#include "reference/base/error.h"
#include "reference/kernels/elementwise/binary.h"
#include "reference/kernels/movement/movement.h"
#include "reference/optimizers/update_items.h"
#include "reference/optimizers/update_rules.h"

namespace lockstep::parameter_server {
namespace {

// Errors: InvalidArgument unless `value` is of the variable's type, and of its
// shape or that of `rows`, which must be rows that it has.
void CheckFits(const std::string& operation, const LocalVariable& variable,
               const Tensor& value, const Tensor& rows) {
  Shape wanted = variable.shape();
  if (rows.defined()) {
    if (rows.dtype() != DType::kInt64 || rows.rank() != 1 ||
        wanted.rank() == 0) {
      throw InvalidArgument("[{}] rows {} do not fit '{}' {}", operation,
                            Describe(rows), variable.name(), ToString(wanted));
    }
    for (const int64_t row : rows.span<int64_t>()) {
      if (row >= 0 && row < wanted[0]) continue;
      throw InvalidArgument("[{}] '{}' has {} rows, got row {}", operation,
                            variable.name(), wanted[0], row);
    }
    wanted = wanted.WithDim(0, rows.dim(0));
  }
  if (value.defined() && value.dtype() == variable.dtype() &&
      value.shape() == wanted) {
    return;
  }
  throw InvalidArgument("[{}] variable '{}' takes {}, got {}", operation,
                        variable.name(),
                        ToString(TensorSpec{wanted, variable.dtype()}),
                        value.defined() ? Describe(value) : "nothing");
}

std::set<uint64_t> NumbersIn(const ValueUpdate& update) {
  std::set<uint64_t> numbers;
  for (const ValueChange& change : update.changes) {
    numbers.insert(change.variable);
  }
  if (!update.step) return numbers;
  for (const ValueStep::Item& item : update.step->items) {
    numbers.insert(item.variable);
    numbers.insert(item.slots.begin(), item.slots.end());
  }
  return numbers;
}

Tensor Changed(const Tensor& value, Change::Kind kind, const Tensor& by) {
  switch (kind) {
    case Change::ADD:
      return kernels::Add(value, by);
    case Change::SUBTRACT:
      return kernels::Subtract(value, by);
    default:
      return by;
  }
}

// Repeated rows are changed one after another.
void ChangeRowsInOrder(Tensor& table, const ValueChange& change) {
  for (int64_t i = 0; i < change.rows.dim(0); ++i) {
    const Tensor row = change.rows.Slice(i, i + 1);
    kernels::AssignRows(table, row,
                        Changed(kernels::Gather(table, row), change.kind,
                                change.value.Slice(i, i + 1)));
  }
}

// The same with sums of repeated rows.
void AddRows(Tensor& table, const ValueChange& change) {
  const IndexedSlices sums =
      IndexedSlices(change.value, change.rows, table.shape()).Merged();
  kernels::AssignRows(table, sums.indices(),
                      Changed(kernels::Gather(table, sums.indices()),
                              change.kind, sums.values()));
}

void ChangeRows(Tensor& table, const ValueChange& change) {
  const bool is_wide =
      table.dtype() == DType::kFloat32 || table.dtype() == DType::kFloat64;
  if (change.kind != Change::ASSIGN && is_wide) {
    AddRows(table, change);
  } else {
    ChangeRowsInOrder(table, change);
  }
}

void Make(const ValueChange& change, LocalVariable& variable) {
  if (change.rows.defined()) {
    return variable.Update("Scatter", {},
                           [&](Tensor& table, std::span<const Tensor>) {
                             ChangeRows(table, change);
                           });
  }
  switch (change.kind) {
    case Change::ADD:
      return variable.AssignAdd(change.value);
    case Change::SUBTRACT:
      return variable.AssignSub(change.value);
    default:
      return variable.Assign(change.value);
  }
}

}  // namespace

UpdateInProgress::UpdateInProgress(const ValueUpdate& update,
                                   AppliedUpdates& applied, const Find& find)
    : update_(update), applied_(applied) {
  if (update.step) rule_ = RuleOf(update.step->rule);
  for (const uint64_t number : NumbersIn(update)) {
    StoredValue& value = find(number);
    values_.emplace(number, Locked{&value, std::unique_lock(value.mutex)});
  }
  for (const ValueChange& change : update.changes) {
    had_.push_back(applied.Find(KeyOf(change.variable, change.ordinal)));
  }
}

void UpdateInProgress::Check() const {
  for (size_t i = 0; i < had_.size(); ++i) {
    if (!had_[i]) CheckChange(update_.changes[i]);
  }
  if (update_.step) CheckStep();
}

void UpdateInProgress::CheckChange(const ValueChange& change) const {
  const LocalVariable& variable = *At(change.variable).variable;
  const bool adds = change.kind != Change::ASSIGN;
  const char* operation = adds ? "AssignAdd" : "Assign";
  CheckFits(operation, variable, change.value, change.rows);
  const DType dtype = variable.dtype();
  if (adds && !IsFloating(dtype) && !IsInteger(dtype)) {
    throw InvalidArgument("[{}] variable '{}' is {}, which cannot be added",
                          operation, variable.name(), DTypeName(dtype));
  }
}

void UpdateInProgress::CheckStep() const {
  const ValueStep& step = *update_.step;
  const auto check_scalar = [](const char* name, const Tensor& value,
                               DType dtype) {
    if (value.defined() && SpecOf(value) == TensorSpec{Shape{}, dtype}) return;
    throw InvalidArgument("[ApplyRule] {} must be a {} scalar, got {}", name,
                          DTypeName(dtype),
                          value.defined() ? Describe(value) : "nothing");
  };
  check_scalar("learning_rate", step.learning_rate, DType::kFloat64);
  if (step.taken.defined()) check_scalar("taken", step.taken, DType::kBool);
  if (step.counter_change && *step.counter_change >= had_.size()) {
    throw InvalidArgument("[ApplyRule] change {} of {} cannot count the step",
                          *step.counter_change, had_.size());
  }
  if (step.counter_change) {
    const ValueChange& counter = update_.changes[*step.counter_change];
    check_scalar("the counter", counter.value, DType::kInt64);
    if (!counter.wants_value) {
      throw InvalidArgument("[ApplyRule] the counter's value must be wanted");
    }
  }
  std::set<uint64_t> used;
  for (const Item& item : step.items) {
    CheckItem(item);
    std::vector<uint64_t> numbers = item.slots;
    numbers.push_back(item.variable);
    for (const uint64_t number : numbers) {
      if (used.insert(number).second) continue;
      throw InvalidArgument("[ApplyRule] variable '{}' is used twice",
                            At(number).variable->name());
    }
    if (At(item.variable).variable->dtype() ==
        At(step.items[0].variable).variable->dtype()) {
      continue;
    }
    throw InvalidArgument("[ApplyRule] variables must be of one type");
  }
}

void UpdateInProgress::CheckItem(const Item& item) const {
  const LocalVariable& variable = *At(item.variable).variable;
  CheckFits("ApplyRule", variable, item.gradient, item.rows);
  if (!IsFloating(variable.dtype())) {
    throw InvalidArgument("[ApplyRule] variable '{}' is {}, not floating",
                          variable.name(), DTypeName(variable.dtype()));
  }
  if (item.rows.defined()) {
    const auto rows = item.rows.span<int64_t>();
    if (std::ranges::adjacent_find(rows, std::greater_equal<>()) !=
        rows.end()) {
      throw InvalidArgument("[ApplyRule] the rows of '{}' must ascend",
                            variable.name());
    }
  }
  if (item.slots.size() != rule_->slot_kinds.size()) {
    throw InvalidArgument("[ApplyRule] {} has {} slots, got {}", rule_->name,
                          rule_->slot_kinds.size(), item.slots.size());
  }
  for (const uint64_t slot : item.slots) {
    CheckFits("ApplyRule", variable, At(slot).variable->Peek(), Tensor());
  }
}

bool UpdateInProgress::MayApply() const {
  for (size_t i = 0; i < had_.size(); ++i) {
    const ValueChange& change = update_.changes[i];
    if (had_[i] || !change.only_after) continue;
    if (At(change.variable).changes != *change.only_after) return false;
  }
  return true;
}

UpdateOutcome UpdateInProgress::Apply() {
  UpdateOutcome outcome;
  for (size_t i = 0; i < had_.size(); ++i) {
    outcome.values.push_back(had_[i] ? *had_[i]
                                     : ApplyChange(update_.changes[i]));
  }
  if (update_.step) ApplyStep(outcome.values);
  return outcome;
}

Tensor UpdateInProgress::ApplyChange(const ValueChange& change) {
  StoredValue& stored = At(change.variable);
  Make(change, *stored.variable);
  ++stored.changes;
  const Tensor reply = change.wants_value ? stored.variable->Peek() : Tensor();
  applied_.Keep(KeyOf(change.variable, change.ordinal), reply);
  return reply;
}

std::vector<const ValueStep::Item*> UpdateInProgress::NewItems() const {
  std::vector<const Item*> items;
  for (const Item& item : update_.step->items) {
    if (!applied_.Find(KeyOf(item.variable, item.ordinal))) {
      items.push_back(&item);
    }
  }
  return items;
}

void UpdateInProgress::ApplyStep(const std::vector<Tensor>& replies) {
  const ValueStep& step = *update_.step;
  const std::vector<const Item*> items = NewItems();
  if (items.empty()) return;
  int64_t iterations = step.iterations;
  if (step.counter_change) {
    // After the step; one that is not taken was not counted.
    const int64_t counted =
        update_.changes[*step.counter_change].value.item<int64_t>();
    iterations = replies[*step.counter_change].item<int64_t>() - counted;
  }
  const kernels::StepScalars scalars{
      .learning_rate = step.learning_rate,
      .iterations = Tensor::Scalar<int64_t>(iterations),
      .taken = step.taken};
  std::vector<Variable*> variables;
  std::vector<Tensor> rows;
  for (const Item* item : items) {
    variables.push_back(At(item->variable).variable.get());
    for (const uint64_t slot : item->slots) {
      variables.push_back(At(slot).variable.get());
    }
    rows.push_back(item->rows);
  }
  UpdateTogether(rule_->name, variables, {},
                 [&](std::span<Tensor* const> values, std::span<const Tensor>) {
                   std::vector<Optimizer::Item> places;
                   for (const Item* item : items) {
                     const size_t slots = item->slots.size();
                     places.push_back({values[0], &item->gradient,
                                       values.subspan(1, slots)});
                     values = values.subspan(1 + slots);
                   }
                   optimizers_internal::UpdateItems(*rule_, step.weight_decay,
                                                    places, rows, scalars);
                 });
  for (const Item* item : items) {
    ++At(item->variable).changes;
    for (const uint64_t slot : item->slots) ++At(slot).changes;
    applied_.Keep(KeyOf(item->variable, item->ordinal), Tensor());
  }
}

}  // namespace lockstep::parameter_server
