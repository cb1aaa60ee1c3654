#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "reference/base/error.h"
#include "reference/data/dataset_options.h"
#include "reference/data/element.h"
#include "reference/data/printing/pipeline_text.h"
#include "reference/data/saved/saved.h"
#include "reference/data/saved/saved_form.h"
#include "reference/data/sources/sources.h"
#include "reference/data/transformations/transformations.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::data_internal {
namespace {

namespace fs = std::filesystem;

using Records = std::vector<std::string>;

// At most two records of the file.
Records ReadRecords(const std::string& file) {
  const NodePtr source = MakeTFRecords({file}, Compression::kNone);
  const ReaderPtr<Structure> reader = OpenPass(*source);
  Records records;
  Structure record;
  while (records.size() < 2 && reader->Next({&record, 1}) == 1) {
    records.push_back(record.leaf().item<std::string>());
  }
  return records;
}

saved::SavedDataset ReadSpecFile(const std::string& folder) {
  const std::string file = fs::path(folder) / kSpecFile;
  std::error_code none;
  if (!fs::exists(file, none)) {
    throw NotFound("[Load] {} holds no saved dataset: {} does not exist",
                   folder, file);
  }
  const Records records = ReadRecords(file);
  saved::SavedDataset dataset;
  if (records.size() != 1 || !dataset.ParseFromString(records.front()) ||
      dataset.version() < 1) {
    throw DataLoss("[Load] {} is damaged, or no spec of a dataset", file);
  }
  if (dataset.version() > kSavedVersion) {
    throw Unimplemented("[Load] {} has version {}, this library reads up to {}",
                        file, dataset.version(), kSavedVersion);
  }
  if (dataset.shard_bytes_size() < 1 || dataset.elements() < 0) {
    throw DataLoss("[Load] {} names no shards", file);
  }
  return dataset;
}

// A saved dataset, as its functions need it.
struct Saved {
  std::string folder;
  saved::SavedDataset dataset;
  SpecStructure spec;

  int64_t shards() const { return dataset.shard_bytes_size(); }
  std::string PathOf(int64_t shard) const {
    return fs::path(folder) / ShardName(shard, shards());
  }
};
using SavedPtr = std::shared_ptr<const Saved>;

Structure Decoded(const Saved& saved, int64_t shard,
                  const std::string& record) {
  saved::SavedElement message;
  if (!message.ParseFromString(record) ||
      message.dataset() != saved.dataset.id() || message.index() < 0 ||
      message.index() % saved.shards() != shard) {
    throw DataLoss("[Load] {} holds a record that is not of this dataset",
                   saved.PathOf(shard));
  }
  const std::vector<TensorSpec> leaves = saved.spec.Flatten();
  if (message.leaf_size() != std::ssize(leaves)) {
    throw DataLoss("[Load] {}: an element has {} tensors, wanted {}",
                   saved.PathOf(shard), message.leaf_size(), leaves.size());
  }
  int next = 0;
  return saved.spec.Map<Tensor>([&](const TensorSpec& leaf) {
    return TensorFromMessage(message.leaf(next++), leaf.dtype);
  });
}

void CheckSize(const Saved& saved, int64_t shard) {
  std::error_code error;
  const auto bytes = fs::file_size(saved.PathOf(shard), error);
  if (error) {
    throw DataLoss("[Load] {} is missing: {}", saved.PathOf(shard),
                   error.message());
  }
  const int64_t wanted = saved.dataset.shard_bytes(static_cast<int>(shard));
  if (static_cast<int64_t>(bytes) == wanted) return;
  throw DataLoss("[Load] {} has {} bytes, wanted {}", saved.PathOf(shard),
                 bytes, wanted);
}

NodePtr ReadShard(const SavedPtr& saved, int64_t shard) {
  CheckSize(*saved, shard);
  return MakeMap(MakeTFRecords({saved->PathOf(shard)}, Compression::kNone),
                 [saved, shard](const Structure& record) {
                   return Decoded(*saved, shard,
                                  record.leaf().item<std::string>());
                 },
                 {.output_spec = saved->spec});
}

// Numbers of shards in, elements out.
NodePtr ReadShards(const SavedPtr& saved) {
  return MakeInterleave(MakeRange(0, saved->shards(), 1),
                        [saved](const Structure& shard) {
                          return ReadShard(saved, shard.leaf().item<int64_t>());
                        },
                        {.cycle_length = saved->shards()});
}

// Knows how many elements there are, and of which spec, while it reads all
// shards.
class LoadNode final : public DatasetNode {
 public:
  LoadNode(NodePtr shards, SavedPtr saved, bool reads_all)
      : DatasetNode("Load", {std::move(shards)}),
        saved_(std::move(saved)),
        reads_all_(reads_all) {}

  std::string arguments() const override {
    return Arguments().Add("folder", saved_->folder).text();
  }
  NodePtr WithInputs(std::vector<NodePtr> inputs) const override {
    const bool same = inputs == this->inputs();
    return std::make_shared<LoadNode>(std::move(inputs.front()), saved_,
                                      reads_all_ && same);
  }
  SpecStructure MakeSpec() const override { return saved_->spec; }
  bool DeclaresSpec() const override { return true; }
  int64_t CountElements() const override {
    return reads_all_ ? saved_->dataset.elements() : kUnknownCardinality;
  }
  ReaderPtr<Structure> OpenElements(const PassPtr& pass) const override {
    return input().OpenElements(pass);
  }

 private:
  SavedPtr saved_;
  bool reads_all_;
};

}  // namespace

NodePtr MakeLoad(const std::string& folder) {
  auto saved = std::make_shared<Saved>();
  saved->folder = folder;
  saved->dataset = ReadSpecFile(folder);
  saved->spec = SpecFromMessage(saved->dataset.spec());
  return std::make_shared<LoadNode>(ReadShards(saved), saved,
                                    /*reads_all=*/true);
}

}  // namespace lockstep::data_internal
