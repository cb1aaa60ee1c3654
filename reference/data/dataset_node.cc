#include "reference/data/dataset_node.h"

#include <algorithm>
#include <utility>

#include "reference/base/check.h"
#include "reference/base/error.h"

namespace lockstep::data_internal {

RowReader::RowReader(TablePtr table, ReaderPtr<int64_t> rows)
    : table_(std::move(table)), rows_(std::move(rows)) {}

int64_t RowReader::Next(std::span<Structure> out) {
  if (next_ == end_) {
    next_ = 0;
    end_ = rows_->Next(numbers_);
  }
  const int64_t count = std::min<int64_t>(std::ssize(out), end_ - next_);
  for (int64_t i = 0; i < count; ++i) out[i] = table_->Row(numbers_[next_++]);
  return count;
}

std::string_view NodeKindName(NodeKind kind) {
  switch (kind) {
    case NodeKind::kTensors:
      return "Tensors";
    case NodeKind::kTensorSlices:
      return "TensorSlices";
    case NodeKind::kRange:
      return "Range";
    case NodeKind::kGenerator:
      return "Generator";
    case NodeKind::kTextLines:
      return "TextLines";
    case NodeKind::kFixedLengthRecords:
      return "FixedLengthRecords";
    case NodeKind::kTFRecords:
      return "TFRecords";
    case NodeKind::kBatch:
      return "Batch";
    case NodeKind::kPaddedBatch:
      return "PaddedBatch";
    case NodeKind::kUnbatch:
      return "Unbatch";
    case NodeKind::kRebatch:
      return "Rebatch";
    case NodeKind::kMap:
      return "Map";
    case NodeKind::kFilter:
      return "Filter";
    case NodeKind::kFlatMap:
      return "FlatMap";
    case NodeKind::kInterleave:
      return "Interleave";
    case NodeKind::kZip:
      return "Zip";
    case NodeKind::kConcatenate:
      return "Concatenate";
    case NodeKind::kRepeat:
      return "Repeat";
    case NodeKind::kTake:
      return "Take";
    case NodeKind::kSkip:
      return "Skip";
    case NodeKind::kShard:
      return "Shard";
    case NodeKind::kShardHint:
      return "ShardHint";
    case NodeKind::kShuffle:
      return "Shuffle";
    case NodeKind::kCache:
      return "Cache";
    case NodeKind::kFileCache:
      return "FileCache";
    case NodeKind::kPrefetch:
      return "Prefetch";
    case NodeKind::kOptions:
      return "Options";
    case NodeKind::kElementLog:
      return "ElementLog";
  }
  LOCKSTEP_CHECK(false);
  return {};
}

std::string Describe(const DatasetNode& node) {
  std::string text(NodeKindName(node.kind()));
  std::string_view before = "(";
  for (const NodePtr& input : node.inputs()) {
    text.append(before).append(Describe(*input));
    before = ", ";
  }
  return node.inputs().empty() ? text : text + ")";
}

void DatasetNode::SavePasses(PassState& state) const {
  for (const NodePtr& input : inputs_) input->SavePasses(state);
}

void DatasetNode::RestorePasses(std::span<const uint64_t>& state) const {
  for (const NodePtr& input : inputs_) input->RestorePasses(state);
}

uint64_t TakePass(std::span<const uint64_t>& state) {
  if (state.empty()) {
    throw InvalidArgument("[RestorePasses] the state of a shuffle is missing");
  }
  const uint64_t number = state.front();
  state = state.subspan(1);
  return number;
}

NodePtr Rewrite(const NodePtr& node,
                const std::function<NodePtr(const NodePtr&)>& rewrite) {
  std::vector<NodePtr> inputs;
  for (const NodePtr& input : node->inputs()) {
    inputs.push_back(Rewrite(input, rewrite));
  }
  if (inputs == node->inputs()) return rewrite(node);
  return rewrite(node->WithInputs(std::move(inputs)));
}

NodePtr CopyOf(const NodePtr& node) {
  std::vector<NodePtr> inputs;
  for (const NodePtr& input : node->inputs()) inputs.push_back(CopyOf(input));
  return node->WithInputs(std::move(inputs));
}

}  // namespace lockstep::data_internal
