// One update of a parameter server's values, under their locks.
//
//   UpdateInProgress progress(update, applied, find);   // locks
//   progress.Check();                                   // may throw
//   if (progress.MayApply()) outcome = progress.Apply();
#ifndef LOCKSTEP_REFERENCE_PARAMETER_SERVER_SERVER_UPDATE_IN_PROGRESS_H_
#define LOCKSTEP_REFERENCE_PARAMETER_SERVER_SERVER_UPDATE_IN_PROGRESS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "reference/optimizers/optimizer.h"
#include "reference/parameter_server/server/applied_updates.h"
#include "reference/parameter_server/server/stored_values.h"

namespace lockstep::parameter_server {

class UpdateInProgress {
 public:
  using Find = std::function<StoredValue&(uint64_t number)>;

  // Locks all values that the update uses, in the order of their numbers, until
  // it is destroyed. REQUIRES: the arguments outlive it. Errors: those of
  // `find`; Unimplemented for an unknown rule.
  UpdateInProgress(const ValueUpdate& update, AppliedUpdates& applied,
                   const Find& find);

  // Errors: InvalidArgument if a part that is not applied yet does not fit.
  void Check() const;
  // Whether every only_after is so, of what is not applied yet.
  bool MayApply() const;
  // Applies what is not applied yet. REQUIRES: Check and MayApply.
  UpdateOutcome Apply();

 private:
  using Item = ValueStep::Item;

  StoredValue& At(uint64_t number) const { return *values_.at(number).value; }
  UpdateKey KeyOf(uint64_t variable, uint64_t ordinal) const {
    return {update_.closure, variable, ordinal};
  }
  void CheckChange(const ValueChange& change) const;
  void CheckItem(const Item& item) const;
  void CheckStep() const;

  Tensor ApplyChange(const ValueChange& change);
  void ApplyStep(const std::vector<Tensor>& replies);
  std::vector<const Item*> NewItems() const;

  struct Locked {
    StoredValue* value;
    std::unique_lock<std::mutex> lock;
  };

  const ValueUpdate& update_;
  AppliedUpdates& applied_;
  std::optional<Optimizer::Rule> rule_;
  std::map<uint64_t, Locked> values_;
  // Per change the reply that it had, if it was applied before.
  std::vector<std::optional<Tensor>> had_;
};

}  // namespace lockstep::parameter_server

#endif  // LOCKSTEP_REFERENCE_PARAMETER_SERVER_SERVER_UPDATE_IN_PROGRESS_H_
