// Saves and restores a program's objects in TensorFlow's own format.
//
//   Checkpoint checkpoint({{"model", &model}, {"optimizer", &optimizer}});
//   checkpoint.Save("train/ckpt");                 // "train/ckpt-1"
//   ...
//   checkpoint.Restore(LatestCheckpoint("train")).AssertConsumed();
//
// Values are found by the paths that lead to them from the root (model,
// optimizer, ...), so a program that builds the same objects in the same
// places can restore them: under another number of replicas, without a
// strategy, and in TensorFlow. A variable with copies is one value.
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

// What became of a restore: assertions to chain behind it.
//
//   checkpoint.Restore(path).AssertConsumed();
//   checkpoint.Restore(path).ExpectPartial();
//
// An assertion looks at the program as it is then, so one that failed may hold
// once the missing layers are built. Every failed one is FailedPrecondition.
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

struct CheckpointOptions {
  // false: what was saved survives the end of the program, not that of the
  // machine, as TensorFlow's; Save need not wait for the disk.
  bool durable = true;
};

class Checkpoint : public Trackable {
 public:
  // Objects by the names that keys begin with. REQUIRES: they live as long as
  // the checkpoint. Errors: InvalidArgument for nullptr, and for the name
  // "save_counter", which is the checkpoint's own.
  explicit Checkpoint(const std::map<std::string, Trackable*>& objects);

  // Writes "<prefix>-<n>", n = 1, 2, ..., then the folder's state file, and
  // gives that path. Makes the folder. When it fails, older checkpoints, the
  // state file and the count stay as they were.
  // Errors: ResourceExhausted for a full disk, Unavailable, NotFound;
  // FailedPrecondition inside Run.
  std::string Save(const std::string& prefix,
                   const CheckpointOptions& options = {});

  // Writes exactly "<prefix>": no number, no count, no state file.
  // Errors: as Save; InvalidArgument for a prefix that collides with the state
  // file.
  std::string Write(const std::string& prefix,
                    const CheckpointOptions& options = {});

  // Restores what Save wrote, and the count. Objects that come later, such as
  // the variables of a layer not built yet, get their values when they do.
  // Without a path nothing happens, as at the first start of a program.
  // Errors: NotFound for no such checkpoint; DataLoss for a damaged one;
  // InvalidArgument with key, got and wanted for another type or shape;
  // FailedPrecondition inside Run. Then no object has changed.
  CheckpointLoadStatus Restore(const std::optional<std::string>& path);

  // The same for what Write wrote: does not ask for a count. With `every_value`
  // also FailedPrecondition where an object that is there has a value that the
  // checkpoint does not give; then no object has changed.
  CheckpointLoadStatus Read(const std::string& path, bool every_value = false);

  // How often Save was called; made when first asked for. Kept in checkpoints.
  Variable& save_counter();

  // From now on what is written also has what each replica has for itself, its
  // own part of a sum, which as many replicas get back. TensorFlow restores such
  // a checkpoint too, but its assert_consumed names these parts.
  void KeepEachReplica() { keeps_each_replica_ = true; }

 private:
  bool keeps_each_replica_ = false;
  VariablePtr save_counter_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_CHECKPOINT_CHECKPOINT_H_
