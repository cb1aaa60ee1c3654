#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "reference/base/encoding/record.h"
#include "reference/base/error.h"
#include "reference/base/files/file_bytes.h"
#include "reference/base/files/new_folder.h"
#include "reference/base/random.h"
#include "reference/data/element.h"
#include "reference/data/saved/saved.h"
#include "reference/data/saved/saved_form.h"
#include "reference/data/tf_record_writer.h"

namespace lockstep::data_internal {
namespace {

namespace fs = std::filesystem;

using export_internal::NewFolder;
using export_internal::WriteFileBytes;

// What is replaced is removed, so it must be a saved dataset.
void CheckReplaceable(const std::string& folder) {
  std::error_code none;
  if (!fs::is_directory(folder, none) || fs::is_empty(folder, none) ||
      fs::exists(fs::path(folder) / kSpecFile, none)) {
    return;
  }
  throw FailedPrecondition(
      "[Save] {} holds something else than a saved dataset, which would be "
      "removed; give the name of a new folder",
      folder);
}

void Check(const DatasetNode& node, const std::string& folder,
           const SaveOptions& options) {
  if (options.shards < 1) {
    throw InvalidArgument(
        "[Save] the number of shards must be positive, got {}", options.shards);
  }
  if (node.cardinality() == kInfiniteCardinality) {
    throw InvalidArgument("[Save] the dataset has no end; use Take(n) before");
  }
  CheckReplaceable(folder);
}

// Writes the elements of a pass to the shards in turn.
class ShardWriters {
 public:
  ShardWriters(const NewFolder& folder, int64_t shards, uint64_t id) : id_(id) {
    for (int64_t shard = 0; shard < shards; ++shard) {
      paths_.push_back(folder / ShardName(shard, shards));
      writers_.push_back(std::make_unique<TFRecordWriter>(paths_.back()));
    }
  }

  void Add(const Structure& element) {
    saved::SavedElement message;
    message.set_dataset(id_);
    message.set_index(count_);
    element.ForEach([&](const Tensor& leaf) {
      TensorToMessage(leaf, *message.add_leaf());
    });
    writers_[count_ % writers_.size()]->Write(message.SerializeAsString());
    ++count_;
  }

  void Close(saved::SavedDataset& dataset) {
    for (size_t shard = 0; shard < writers_.size(); ++shard) {
      writers_[shard]->Close();
      dataset.add_shard_bytes(
          static_cast<int64_t>(fs::file_size(paths_[shard])));
    }
    dataset.set_elements(count_);
  }

 private:
  std::vector<std::string> paths_;
  std::vector<std::unique_ptr<TFRecordWriter>> writers_;
  uint64_t id_;
  int64_t count_ = 0;
};

}  // namespace

void SaveElements(const DatasetNode& node, const std::string& folder,
                  const SaveOptions& options) {
  Check(node, folder, options);
  const SpecStructure spec = node.element_spec();
  saved::SavedDataset dataset;
  dataset.set_version(kSavedVersion);
  dataset.set_id(RandomSeed());
  SpecToMessage(spec, *dataset.mutable_spec());
  NewFolder made(folder);
  ShardWriters shards(made, options.shards, dataset.id());
  const ReaderPtr<Structure> reader = OpenPass(node);
  Structure element;
  while (reader->Next({&element, 1}) == 1) {
    CheckElement("Save", spec, element);
    shards.Add(element);
  }
  shards.Close(dataset);
  std::string bytes;
  AppendRecord(dataset.SerializeAsString(), bytes);
  WriteFileBytes(made / std::string(kSpecFile), bytes);
  made.Commit();
}

}  // namespace lockstep::data_internal
