// What datasets are made of: nodes, one for each source and transformation,
// that open readers of elements or of row numbers, and show what they are and
// what they read, so that a pipeline can be rewritten (auto_shard.h).
#ifndef LOCKSTEP_REFERENCE_DATA_DATASET_NODE_H_
#define LOCKSTEP_REFERENCE_DATA_DATASET_NODE_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/base/check.h"
#include "reference/data/pass.h"
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

struct DatasetOptions;

}  // namespace lockstep

namespace lockstep::data_internal {

struct Division;

// The transformations that sharding a pipeline treats in a way of their own
// (sharding/).
enum class NodeKind {
  kOther,
  kMap,
  kConcatenate,
  kRepeat,
  kShard,
  kShardHint,  // Shard(kShardHint, ...)
  kShuffle,
  kCache,
  kPrefetch,
  kOptions,
  kAssertCardinality,
};

class DatasetNode;
using NodePtr = std::shared_ptr<const DatasetNode>;

// One source or transformation in a pipeline; immutable, but for what it
// remembers of its passes, and shared.
class DatasetNode : public std::enable_shared_from_this<DatasetNode> {
 public:
  // REQUIRES: `name` is a literal.
  DatasetNode(std::string_view name, std::vector<NodePtr> inputs,
              NodeKind kind = NodeKind::kOther)
      : name_(name), kind_(kind), inputs_(std::move(inputs)) {}
  virtual ~DatasetNode() = default;
  DatasetNode(const DatasetNode&) = delete;
  DatasetNode& operator=(const DatasetNode&) = delete;

  // That of the function of Dataset which makes it: "TensorSlices", "Batch".
  std::string_view name() const { return name_; }
  NodeKind kind() const { return kind_; }
  // What it reads, in order; sources read nothing.
  const std::vector<NodePtr>& inputs() const { return inputs_; }
  // The same transformation of other inputs, another form of the node. A
  // shuffle's forms share its seed and the number of its passes; a cache's keep
  // each what their own inputs gave. REQUIRES: as many inputs as there are.
  virtual NodePtr WithInputs(std::vector<NodePtr> inputs) const = 0;

  // The form of the node that is kept by this name; `form` where there is none
  // yet. Only of caches: what a form of one holds has to outlast it.
  virtual NodePtr KeepForm(const std::string& /*name*/, NodePtr form) const {
    return form;
  }

  // What is asked of all nodes below is asked once: they may be many, and
  // reached by many paths.
  SpecStructure element_spec() const;
  // element_spec() calls no function of the program to know it.
  bool spec_is_declared() const;
  int64_t cardinality() const;
  // Making an element takes less time than handing it to another thread.
  bool is_light() const;

  // Reads the elements, as a part of a pass. It may open the inputs, and they
  // theirs, at once or later, once or often.
  virtual ReaderPtr<Structure> OpenElements(const PassPtr& pass) const = 0;

  // When elements are rows of a table: the table, and the numbers of those rows
  // in a pass. Else nullptr, and OpenRows must not be called.
  virtual TablePtr table() const { return nullptr; }
  virtual ReaderPtr<int64_t> OpenRows(const PassPtr&) const {
    LOCKSTEP_CHECK(table() != nullptr);
    return nullptr;
  }

  // The parts of every element that `division` keeps, for a node that need not
  // make the others for it. Else nullptr.
  virtual ReaderPtr<Structure> OpenParts(const PassPtr& /*pass*/,
                                         const Division& /*division*/) const {
    return nullptr;
  }

  // nullptr: it remembers nothing.
  virtual PassMemory* memory() const { return nullptr; }
  // The same, of a shuffle. Else nullptr.
  virtual ShuffleMemory* shuffle_memory() const { return nullptr; }

  // What a source of files reads, and the same source of other files. Of other
  // nodes nullptr.
  virtual const std::vector<std::string>* files() const { return nullptr; }
  virtual NodePtr WithFiles(std::vector<std::string> /*files*/) const {
    return nullptr;
  }
  // Of a FlatMap or Interleave, the dataset that its function gives for the
  // first element of the next pass, which does not begin. Else nullptr, and where
  // there is no element.
  virtual NodePtr FirstDataset() const { return nullptr; }
  // What a WithOptions gives. Of other nodes nullptr.
  virtual const DatasetOptions* options() const { return nullptr; }

 protected:
  // The only input of most. REQUIRES: it has one.
  const DatasetNode& input() const { return *inputs_.front(); }

  // As the functions above, each called once but where it throws.
  virtual SpecStructure MakeSpec() const = 0;
  virtual bool DeclaresSpec() const { return false; }
  virtual int64_t CountElements() const = 0;
  virtual bool IsLight() const { return table() != nullptr; }

 private:
  static constexpr int64_t kNotCounted = INT64_MIN;

  std::string_view name_;
  NodeKind kind_;
  std::vector<NodePtr> inputs_;

  mutable std::mutex spec_mutex_;
  mutable std::optional<SpecStructure> spec_;
  mutable std::atomic<int64_t> cardinality_{kNotCounted};
  mutable std::atomic<int8_t> spec_is_declared_{-1};  // not known
  mutable std::atomic<int8_t> is_light_{-1};
};

// A pass over the elements of a whole pipeline: the next one.
inline ReaderPtr<Structure> OpenPass(const DatasetNode& pipeline) {
  return pipeline.OpenElements(Pass::Begin(pipeline));
}

// The first element of the next pass, which does not begin; nothing where it
// has none. Functions of the program are called for it.
std::optional<Structure> PeekAtFirst(const DatasetNode& pipeline);

// "Batch(Zip(Range, TensorSlices))". The inputs of a node are shown once:
// "Zip(Batch(Range), Batch(...))".
std::string Describe(const DatasetNode& node);
// The same with what `name` gives in place of the node's name.
std::string Describe(
    const DatasetNode& node,
    const std::function<std::string(const DatasetNode&)>& name);

// Base of the sources.
class SourceNode : public DatasetNode {
 public:
  explicit SourceNode(std::string_view name) : DatasetNode(name, {}) {}
  NodePtr WithInputs(std::vector<NodePtr>) const final {
    return shared_from_this();
  }
};

// OpenElements or OpenRows, by the type of item wanted.
template <typename Item>
ReaderPtr<Item> Open(const DatasetNode& node, const PassPtr& pass);
template <>
inline ReaderPtr<Structure> Open<Structure>(const DatasetNode& node,
                                            const PassPtr& pass) {
  return node.OpenElements(pass);
}
template <>
inline ReaderPtr<int64_t> Open<int64_t>(const DatasetNode& node,
                                        const PassPtr& pass) {
  return node.OpenRows(pass);
}

// Base of the transformations that choose and order items without looking
// inside: `Derived` offers template <typename Item> ReaderPtr<Item>
// MakeReader(pass) const, written once for elements and for row numbers.
template <typename Derived>
class SelectionNode : public DatasetNode {
 public:
  SelectionNode(std::string_view name, NodePtr input,
                NodeKind kind = NodeKind::kOther)
      : DatasetNode(name, {std::move(input)}, kind) {}

  TablePtr table() const final { return input().table(); }

  ReaderPtr<int64_t> OpenRows(const PassPtr& pass) const final {
    return self().template MakeReader<int64_t>(pass);
  }
  ReaderPtr<Structure> OpenElements(const PassPtr& pass) const final {
    if (TablePtr rows = table()) {
      return std::make_unique<RowReader>(std::move(rows), OpenRows(pass));
    }
    return self().template MakeReader<Structure>(pass);
  }

 protected:
  SpecStructure MakeSpec() const override { return input().element_spec(); }
  bool DeclaresSpec() const override { return input().spec_is_declared(); }
  int64_t CountElements() const override { return input().cardinality(); }
  bool IsLight() const override { return input().is_light(); }

 private:
  const Derived& self() const { return static_cast<const Derived&>(*this); }
};

}  // namespace lockstep::data_internal

#endif  // LOCKSTEP_REFERENCE_DATA_DATASET_NODE_H_
