// What datasets are made of: nodes, one for each source and transformation,
// that open readers of elements or of row numbers, and show what they are and
// what they read, so that a pipeline can be rewritten (auto_shard.h).
#ifndef LOCKSTEP_REFERENCE_DATA_DATASET_NODE_H_
#define LOCKSTEP_REFERENCE_DATA_DATASET_NODE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/base/check.h"
#include "reference/data/reader.h"
#include "reference/tensor/nest.h"

namespace lockstep {

// How many elements a dataset has, where that is known without reading it, or
// one of these: the documented values of tf.data.INFINITE_CARDINALITY and
// UNKNOWN_CARDINALITY.
inline constexpr int64_t kInfiniteCardinality = -1;
inline constexpr int64_t kUnknownCardinality = -2;

namespace data_internal {

// Elements of `size` items each, the last one possibly short.
inline int64_t BatchedCardinality(int64_t items, int64_t size,
                                  bool drop_remainder) {
  if (items < 0) return items;
  return items / size + (!drop_remainder && items % size != 0 ? 1 : 0);
}

}  // namespace data_internal

}  // namespace lockstep

namespace lockstep::data_internal {

// What a node is. Dataset's functions of the same names make them.
enum class NodeKind {
  // Sources.
  kTensors,
  kTensorSlices,
  kRange,
  kGenerator,
  kTextLines,
  kFixedLengthRecords,
  kTFRecords,
  // Transformations.
  kBatch,
  kPaddedBatch,
  kUnbatch,
  kRebatch,
  kMap,
  kFilter,
  kFlatMap,
  kInterleave,
  kZip,
  kConcatenate,
  kRepeat,
  kTake,
  kSkip,
  kShard,
  kShardHint,  // Shard(kShardHint, ...)
  kShuffle,
  kCache,
  kFileCache,
  kPrefetch,
  kOptions,
  kElementLog,
};

// "TensorSlices".
std::string_view NodeKindName(NodeKind kind);

// A source of files (sources/file_source.h).
inline bool ReadsFiles(NodeKind kind) {
  return kind == NodeKind::kTextLines ||
         kind == NodeKind::kFixedLengthRecords || kind == NodeKind::kTFRecords;
}

// Reads datasets that a function of the program makes of its input's elements.
inline bool OpensDatasets(NodeKind kind) {
  return kind == NodeKind::kFlatMap || kind == NodeKind::kInterleave;
}

// How far the passes over a pipeline are, as numbers that another process
// understands (DatasetNode::SavePasses).
using PassState = std::vector<uint64_t>;

class DatasetNode;
using NodePtr = std::shared_ptr<const DatasetNode>;

// One source or transformation in a pipeline; immutable and shared.
class DatasetNode : public std::enable_shared_from_this<DatasetNode> {
 public:
  DatasetNode(NodeKind kind, std::vector<NodePtr> inputs)
      : kind_(kind), inputs_(std::move(inputs)) {}
  virtual ~DatasetNode() = default;
  DatasetNode(const DatasetNode&) = delete;
  DatasetNode& operator=(const DatasetNode&) = delete;

  NodeKind kind() const { return kind_; }
  // What it reads, in order; sources read nothing.
  const std::vector<NodePtr>& inputs() const { return inputs_; }
  // The same transformation of other inputs. What it remembers of its passes
  // (the number of a shuffle's, what a cache holds) begins anew; a shuffle
  // keeps its seed. REQUIRES: as many inputs as there are.
  virtual NodePtr WithInputs(std::vector<NodePtr> inputs) const = 0;

  virtual SpecStructure element_spec() const = 0;
  // element_spec() calls no function of the program to know it.
  virtual bool spec_is_declared() const { return false; }
  virtual int64_t cardinality() const = 0;

  // Starts a pass over the elements.
  virtual ReaderPtr<Structure> OpenElements() const = 0;

  // When elements are rows of a table: the table, and a pass over the numbers
  // of those rows. Else nullptr, and OpenRows must not be called.
  virtual TablePtr table() const { return nullptr; }
  virtual ReaderPtr<int64_t> OpenRows() const {
    LOCKSTEP_CHECK(table() != nullptr);
    return nullptr;
  }

  // What the passes to come depend on besides the pipeline: seeds, and how many
  // passes shuffles have begun. Appended to `state`, as many numbers whatever
  // was read.
  virtual void SavePasses(PassState& state) const;
  // Takes what SavePasses appended off the front; the next pass is then the one
  // that it would have been. Errors: InvalidArgument for too few numbers.
  virtual void RestorePasses(std::span<const uint64_t>& state) const;

  // Making an element takes less time than handing it to another thread.
  virtual bool is_light() const { return table() != nullptr; }

 protected:
  // The only input of most. REQUIRES: it has one.
  const DatasetNode& input() const { return *inputs_.front(); }

 private:
  NodeKind kind_;
  std::vector<NodePtr> inputs_;
};

// "Batch(Zip(Range, TensorSlices))".
std::string Describe(const DatasetNode& node);

// The pipeline that ends in `node`, rewritten from its sources on: `rewrite`
// gets each node with its inputs rewritten and returns what takes its place.
// What is not changed, and reads nothing changed, stays the same node.
NodePtr Rewrite(const NodePtr& node,
                const std::function<NodePtr(const NodePtr&)>& rewrite);

// A copy of the pipeline that ends in `node`, whose passes begin anew: reading
// it leaves no trace in `node`.
NodePtr CopyOf(const NodePtr& node);

// The next number of a saved state, which is taken off its front. Errors:
// InvalidArgument where there is none.
uint64_t TakePass(std::span<const uint64_t>& state);

// Base of the sources.
class SourceNode : public DatasetNode {
 public:
  explicit SourceNode(NodeKind kind) : DatasetNode(kind, {}) {}
  NodePtr WithInputs(std::vector<NodePtr>) const final {
    return shared_from_this();
  }
};

// OpenElements or OpenRows, by the type of item wanted.
template <typename Item>
ReaderPtr<Item> Open(const DatasetNode& node);
template <>
inline ReaderPtr<Structure> Open<Structure>(const DatasetNode& node) {
  return node.OpenElements();
}
template <>
inline ReaderPtr<int64_t> Open<int64_t>(const DatasetNode& node) {
  return node.OpenRows();
}

// Base of the transformations that choose and order items without looking
// inside: `Derived` offers template <typename Item> ReaderPtr<Item>
// MakeReader() const, written once for elements and for row numbers.
template <typename Derived>
class SelectionNode : public DatasetNode {
 public:
  SelectionNode(NodeKind kind, NodePtr input)
      : DatasetNode(kind, {std::move(input)}) {}

  SpecStructure element_spec() const override { return input().element_spec(); }
  bool spec_is_declared() const override { return input().spec_is_declared(); }
  int64_t cardinality() const override { return input().cardinality(); }
  TablePtr table() const final { return input().table(); }
  bool is_light() const override { return input().is_light(); }

  ReaderPtr<int64_t> OpenRows() const final {
    return self().template MakeReader<int64_t>();
  }
  ReaderPtr<Structure> OpenElements() const final {
    if (TablePtr rows = table()) {
      return std::make_unique<RowReader>(std::move(rows), OpenRows());
    }
    return self().template MakeReader<Structure>();
  }

 private:
  const Derived& self() const { return static_cast<const Derived&>(*this); }
};

}  // namespace lockstep::data_internal

#endif  // LOCKSTEP_REFERENCE_DATA_DATASET_NODE_H_
