#include "reference/checkpoint/checkpoint_load_status.h"

#include <string>
#include <utility>
#include <vector>

#include "reference/base/error.h"
#include "reference/checkpoint/object_restore.h"

namespace lockstep {
namespace {

constexpr size_t kNamesShown = 10;

std::string ShowSome(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < names.size() && i < kNamesShown; ++i) {
    text += "\n  " + names[i];
  }
  return names.size() > kNamesShown ? text + "\n  ..." : text;
}

}  // namespace

CheckpointLoadStatus::CheckpointLoadStatus(
    std::shared_ptr<checkpoint_internal::ObjectRestore> restore,
    Trackable& root)
    : restore_(std::move(restore)), root_(&root) {}

void CheckpointLoadStatus::CheckThereIsARestore(const char* assertion) const {
  if (restore_) return;
  throw FailedPrecondition(
      "[{}] no checkpoint was given, nothing is being restored", assertion);
}

const CheckpointLoadStatus& CheckpointLoadStatus::AssertConsumed() const {
  CheckThereIsARestore("AssertConsumed");
  AssertExistingObjectsMatched();
  const std::vector<std::string> unused = restore_->UnusedValues();
  if (unused.empty()) return *this;
  throw FailedPrecondition(
      "[AssertConsumed] {} values of the checkpoint have no object, wanted "
      "none:{}",
      unused.size(), ShowSome(unused));
}

const CheckpointLoadStatus& CheckpointLoadStatus::AssertExistingObjectsMatched()
    const {
  CheckThereIsARestore("AssertExistingObjectsMatched");
  const std::vector<std::string> unmatched = restore_->UnmatchedValues(*root_);
  if (unmatched.empty()) return *this;
  throw FailedPrecondition(
      "[AssertExistingObjectsMatched] {} objects got no value from the "
      "checkpoint, wanted none:{}",
      unmatched.size(), ShowSome(unmatched));
}

const CheckpointLoadStatus& CheckpointLoadStatus::AssertNontrivialMatch()
    const {
  CheckThereIsARestore("AssertNontrivialMatch");
  if (restore_->matched_more_than_the_root()) return *this;
  throw FailedPrecondition(
      "[AssertNontrivialMatch] nothing but the root is in the checkpoint; "
      "objects without a value:{}",
      ShowSome(restore_->UnmatchedValues(*root_)));
}

const CheckpointLoadStatus& CheckpointLoadStatus::ExpectPartial() const {
  if (restore_) restore_->ExpectPartial();
  return *this;
}

}  // namespace lockstep
