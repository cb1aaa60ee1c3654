#include "reference/checkpoint/checkpoint.h"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "reference/autodiff/variable.h"
#include "reference/base/error.h"
#include "reference/base/files/folder.h"
#include "reference/checkpoint/checkpoint_state.h"
#include "reference/checkpoint/object_graph.h"
#include "reference/checkpoint/object_restore.h"
#include "reference/checkpoint/save_count.h"
#include "reference/tensor_bundle/bundle_files.h"
#include "reference/tensor_bundle/tensor_bundle.h"

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
  throw FailedPrecondition("[{}] no checkpoint was given to Restore",
                           assertion);
}

const CheckpointLoadStatus& CheckpointLoadStatus::AssertConsumed() const {
  CheckExistingObjectsMatched("AssertConsumed");
  const std::vector<std::string> unused = restore_->UnusedValues();
  if (unused.empty()) return *this;
  throw FailedPrecondition(
      "[AssertConsumed] {} values of the checkpoint have no object, wanted "
      "none (a layer makes its variables at its first call and an optimizer at "
      "its first step; assert after that):{}",
      unused.size(), ShowSome(unused));
}

const CheckpointLoadStatus& CheckpointLoadStatus::AssertExistingObjectsMatched()
    const {
  CheckExistingObjectsMatched("AssertExistingObjectsMatched");
  return *this;
}

void CheckpointLoadStatus::CheckExistingObjectsMatched(
    const char* assertion) const {
  CheckThereIsARestore(assertion);
  const std::vector<std::string> unmatched = restore_->UnmatchedValues(*root_);
  if (unmatched.empty()) return;
  throw FailedPrecondition(
      "[{}] {} objects got no value from the checkpoint, wanted none:{}",
      assertion, unmatched.size(), ShowSome(unmatched));
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

namespace {

namespace fs = std::filesystem;
using tensor_bundle_internal::BundleExists;

constexpr char kSaveCounter[] = "save_counter";

}  // namespace

Checkpoint::Checkpoint(const std::map<std::string, Trackable*>& objects) {
  for (const auto& [name, object] : objects) {
    if (object == nullptr || name == kSaveCounter) {
      throw InvalidArgument("[Checkpoint] '{}' is {}", name,
                            object ? "a reserved name" : "nullptr");
    }
    TrackChild(name, *object);
  }
}

Variable& Checkpoint::save_counter() {
  if (!save_counter_) {
    // One copy under any strategy: it belongs to no replica.
    VariableOptions options;
    options.initial_value = [] { return Tensor::Scalar<int64_t>(0); };
    options.name = kSaveCounter;
    options.trainable = false;
    save_counter_ = std::make_shared<LocalVariable>(options);
    TrackChild(kSaveCounter, *save_counter_);
  }
  return *save_counter_;
}

namespace {

Durability DurabilityOf(const CheckpointOptions& options) {
  return options.durable ? Durability::kMachine : Durability::kProcess;
}

}  // namespace

std::string Checkpoint::Write(const std::string& prefix,
                              const CheckpointOptions& options) {
  checkpoint_internal::CheckOutsideRun("Checkpoint.Write");
  if (fs::path(prefix).filename() == kCheckpointStateFile) {
    throw InvalidArgument(
        "[Checkpoint.Write] the prefix '{}' collides with the state file",
        prefix);
  }
  MakeFolder(FolderOf(prefix));
  const checkpoint_internal::ObjectGraph graph =
      checkpoint_internal::WalkObjectGraph(*this, keeps_each_replica_);
  TensorBundleWriter writer(prefix, DurabilityOf(options));
  for (const auto& keyed : graph.values) {
    writer.Add(keyed.key, keyed.value.save());
  }
  writer.Add(
      checkpoint_internal::kObjectGraphKey,
      Tensor::Scalar(checkpoint_internal::ToProto(graph).SerializeAsString()));
  writer.Finish();
  return prefix;
}

std::string Checkpoint::Save(const std::string& prefix,
                             const CheckpointOptions& options) {
  checkpoint_internal::CheckOutsideRun("Checkpoint.Save");
  checkpoint_internal::SaveCount count(save_counter());
  const std::string path =
      Write(fmt::format("{}-{}", prefix, count.value()), options);
  CheckpointState state;
  state.model_checkpoint_path = path;
  state.all_model_checkpoint_paths = {path};
  WriteCheckpointState(FolderOf(prefix), state, DurabilityOf(options));
  count.Keep();
  return path;
}

CheckpointLoadStatus Checkpoint::Read(const std::string& path,
                                      bool every_value) {
  checkpoint_internal::CheckOutsideRun("Checkpoint.Restore");
  if (!BundleExists(path)) {
    throw NotFound(
        "[Checkpoint.Restore] there is no checkpoint '{}': {} does not exist "
        "(pass the path that Save returned, with its number, as in 'ckpt-1')",
        path, tensor_bundle_internal::IndexFile(path));
  }
  return {checkpoint_internal::ObjectRestore::Start(path, *this, every_value),
          *this};
}

CheckpointLoadStatus Checkpoint::Restore(
    const std::optional<std::string>& path) {
  if (!path) return {nullptr, *this};
  checkpoint_internal::CheckOutsideRun("Checkpoint.Restore");
  save_counter();  // creates it, so that it is restored with the others
  return Read(*path);
}

}  // namespace lockstep
