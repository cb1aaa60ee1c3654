#include "reference/parameter_server/server/stored_values.h"

#include <utility>

#include "reference/base/error.h"
#include "reference/kernels/movement/movement.h"
#include "reference/parameter_server/server/update_in_progress.h"

namespace lockstep::parameter_server {

StoredValue& StoredValues::Find(uint64_t number) {
  std::shared_lock lock(mutex_);
  const auto found = values_.find(number);
  if (found != values_.end()) return *found->second;
  throw NotFound("[ParameterServer] there is no variable {} among {}", number,
                 values_.size());
}

void StoredValues::Create(uint64_t number, const std::string& name,
                          const Tensor& value) {
  if (!value.defined()) {
    throw InvalidArgument("[Create] '{}' has no value", name);
  }
  auto stored = std::make_unique<StoredValue>();
  stored->variable = std::make_shared<LocalVariable>(
      VariableOptions{.initial_value = [&] { return value; },
                      .name = name,
                      .trainable = false});
  std::unique_lock lock(mutex_);
  if (values_.try_emplace(number, std::move(stored)).second) return;
  throw FailedPrecondition("[Create] there is a variable {} before '{}'",
                           number, name);
}

std::vector<ReadValue> StoredValues::Read(std::span<const uint64_t> variables,
                                          std::span<const Tensor> rows) {
  if (rows.size() != variables.size()) {
    throw InvalidArgument("[Read] {} lists of rows for {} variables",
                          rows.size(), variables.size());
  }
  std::vector<ReadValue> values;
  for (size_t i = 0; i < variables.size(); ++i) {
    StoredValue& stored = Find(variables[i]);
    std::lock_guard lock(stored.mutex);
    const Tensor value = stored.variable->Peek();
    if (rows[i].defined() && value.rank() == 0) {
      throw InvalidArgument("[Read] '{}' is a scalar, it has no rows",
                            stored.variable->name());
    }
    values.push_back(
        {rows[i].defined() ? kernels::Gather(value, rows[i]) : value,
         stored.changes});
  }
  return values;
}

UpdateOutcome StoredValues::Apply(const ValueUpdate& update) {
  applied_.CheckOpen(update.closure);
  UpdateInProgress progress(
      update, applied_,
      [this](uint64_t number) -> StoredValue& { return Find(number); });
  progress.Check();
  if (!progress.MayApply()) return {.applied = false};
  return progress.Apply();
}

}  // namespace lockstep::parameter_server
