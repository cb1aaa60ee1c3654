// What became of a restore: assertions to chain behind it.
//
//   checkpoint.Restore(path).AssertConsumed();
//   checkpoint.Restore(path).ExpectPartial();
//
// An assertion looks at the program as it is then, so one that failed may hold
// once the missing layers are built. Every failed one is FailedPrecondition.
#ifndef LOCKSTEP_REFERENCE_CHECKPOINT_CHECKPOINT_LOAD_STATUS_H_
#define LOCKSTEP_REFERENCE_CHECKPOINT_CHECKPOINT_LOAD_STATUS_H_

#include <memory>

#include "reference/autodiff/trackable.h"

namespace lockstep {

namespace checkpoint_internal {
class ObjectRestore;
}  // namespace checkpoint_internal

class CheckpointLoadStatus {
 public:
  // `restore` is nullptr when there was no checkpoint to restore: then every
  // assertion fails. REQUIRES: `root` outlives the assertions.
  CheckpointLoadStatus(
      std::shared_ptr<checkpoint_internal::ObjectRestore> restore,
      Trackable& root);

  // Every value of the checkpoint was taken, and every value of the program
  // was in the checkpoint.
  const CheckpointLoadStatus& AssertConsumed() const;
  // Every value that the program has by now was in the checkpoint.
  const CheckpointLoadStatus& AssertExistingObjectsMatched() const;
  // Some object besides the root was in the checkpoint.
  const CheckpointLoadStatus& AssertNontrivialMatch() const;
  // No warning when values of the checkpoint are never asked for.
  const CheckpointLoadStatus& ExpectPartial() const;

 private:
  void CheckThereIsARestore(const char* assertion) const;

  std::shared_ptr<checkpoint_internal::ObjectRestore> restore_;
  Trackable* root_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_CHECKPOINT_CHECKPOINT_LOAD_STATUS_H_
