// Saves and restores a program's objects in TensorFlow's format.
//
//   Checkpoint checkpoint(
//       {{"model", model.trackable()}, {"optimizer", &optimizer}});
//   checkpoint.Restore(LatestCheckpoint("train"));   // of an earlier run, if any
//   ...                                              // train
//   checkpoint.Save("train/ckpt");                   // "train/ckpt-1"
//
// Values are matched by their paths from the root (model, optimizer, ...), so any
// program that builds the same objects at the same paths can restore them: with
// another number of replicas, without a strategy, and in TensorFlow. A variable
// that has a copy on each replica is one value.
#ifndef LOCKSTEP_REFERENCE_CHECKPOINT_CHECKPOINT_H_
#define LOCKSTEP_REFERENCE_CHECKPOINT_CHECKPOINT_H_

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "reference/autodiff/trackable.h"
#include "reference/autodiff/variable.h"

namespace lockstep {

namespace checkpoint_internal {
class ObjectRestore;
}  // namespace checkpoint_internal

// The result of a restore, with assertions to chain to it.
//
//   checkpoint.Restore(path).AssertConsumed();
//   checkpoint.Restore(path).ExpectPartial();
//
// An assertion checks the program as it is at the call, so one that fails may
// pass later, after the missing layers are built. A failed assertion throws
// FailedPrecondition.
class CheckpointLoadStatus {
 public:
  // `restore` is nullptr if there was no checkpoint; then every assertion fails.
  // REQUIRES: `root` outlives the assertions.
  CheckpointLoadStatus(
      std::shared_ptr<checkpoint_internal::ObjectRestore> restore,
      Trackable& root);

  // Every value in the checkpoint was restored, and every value of the program
  // was in the checkpoint. A layer makes its variables at its first call and an
  // optimizer its state at its first step: assert after them.
  const CheckpointLoadStatus& AssertConsumed() const;
  // Every value that the program has so far was in the checkpoint.
  const CheckpointLoadStatus& AssertExistingObjectsMatched() const;
  // At least one object other than the root was in the checkpoint.
  const CheckpointLoadStatus& AssertNontrivialMatch() const;
  // Silences the warning about values in the checkpoint that were not restored.
  const CheckpointLoadStatus& ExpectPartial() const;

 private:
  void CheckThereIsARestore(const char* assertion) const;
  void CheckExistingObjectsMatched(const char* assertion) const;

  std::shared_ptr<checkpoint_internal::ObjectRestore> restore_;
  Trackable* root_;
};

struct CheckpointOptions {
  // If false, Save does not wait for the disk, as in TensorFlow: the checkpoint
  // survives a crash of the program but maybe not of the machine.
  bool durable = true;
};

class Checkpoint : public Trackable {
 public:
  // Takes objects by name; the names are the first parts of keys. REQUIRES: the
  // objects outlive the checkpoint. Errors: InvalidArgument for nullptr and for
  // the name "save_counter", which is reserved.
  explicit Checkpoint(const std::map<std::string, Trackable*>& objects);

  // Writes "<prefix>-<n>", n = 1, 2, ..., then the folder's state file. Creates
  // the folder if needed. Returns the path. If it fails, older checkpoints, the
  // state file and the count are unchanged.
  // Errors: ResourceExhausted for a full disk; Unavailable; NotFound;
  // FailedPrecondition inside Run.
  std::string Save(const std::string& prefix,
                   const CheckpointOptions& options = {});

  // Writes exactly "<prefix>": adds no number, does not count the save, writes no
  // state file. Errors: as Save; InvalidArgument if the prefix collides with the
  // state file.
  std::string Write(const std::string& prefix,
                    const CheckpointOptions& options = {});

  // Restores a checkpoint that Save wrote, and the count. Objects that are created
  // later, such as the variables of a layer that is not built yet, are restored
  // when they are tracked. nullopt does nothing; a program's first run has no
  // checkpoint.
  // Errors: NotFound if there is no such checkpoint; DataLoss if it is damaged;
  // InvalidArgument, with key, got and wanted, if a type or shape differs;
  // FailedPrecondition inside Run. After an error all objects are unchanged.
  CheckpointLoadStatus Restore(const std::optional<std::string>& path);

  // The same for a checkpoint that Write wrote, which has no count. With
  // `every_value`, also FailedPrecondition if an existing object has a value that
  // is not in the checkpoint; then too all objects are unchanged.
  CheckpointLoadStatus Read(const std::string& path, bool every_value = false);

  // The number of calls of Save, which checkpoints store. Created on first use.
  Variable& save_counter();

  // From now on also saves the values that differ between replicas, such as each
  // one's part of a sum. They are restored to the same number of replicas.
  // TensorFlow can restore such a checkpoint, but its assert_consumed reports
  // these values.
  void KeepEachReplica() { keeps_each_replica_ = true; }

 private:
  bool keeps_each_replica_ = false;
  VariablePtr save_counter_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_CHECKPOINT_CHECKPOINT_H_
