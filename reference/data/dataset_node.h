// A dataset is a graph of nodes, one for each source and transformation. A node
// opens readers of elements or of row numbers. Its name, kind and inputs are
// visible, so that a pipeline can be rewritten (sharding/auto_shard.h).
#ifndef LOCKSTEP_REFERENCE_DATA_DATASET_NODE_H_
#define LOCKSTEP_REFERENCE_DATA_DATASET_NODE_H_

#include <atomic>
#include <cstdint>
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

// A cardinality is the number of elements if it is known without reading the
// dataset, else one of these, the documented values of
// tf.data.INFINITE_CARDINALITY and UNKNOWN_CARDINALITY.
inline constexpr int64_t kInfiniteCardinality = -1;
inline constexpr int64_t kUnknownCardinality = -2;

struct DatasetOptions;

}  // namespace lockstep

namespace lockstep::data_internal {

struct Division;

// The number of batches of `size` items each.
inline int64_t BatchedCardinality(int64_t items, int64_t size,
                                  bool drop_remainder) {
  if (items < 0) return items;
  return items / size + (!drop_remainder && items % size != 0 ? 1 : 0);
}

// The transformations that sharding recognizes when it rewrites a pipeline
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
  // In another order in each pass and on each worker, as elements are ready.
  kUnordered,
  // What it makes of an element depends on elements before: it is not
  // sharded by file, but after it, by element.
  kWholeInput,
};

class DatasetNode;
using NodePtr = std::shared_ptr<const DatasetNode>;

// One source or transformation of a pipeline. Shared, and immutable except for
// its PassMemory.
class DatasetNode : public std::enable_shared_from_this<DatasetNode> {
 public:
  // REQUIRES: `name` is a literal.
  DatasetNode(std::string_view name, std::vector<NodePtr> inputs,
              NodeKind kind = NodeKind::kOther)
      : name_(name), kind_(kind), inputs_(std::move(inputs)) {}
  virtual ~DatasetNode() = default;
  DatasetNode(const DatasetNode&) = delete;
  DatasetNode& operator=(const DatasetNode&) = delete;

  // "TensorSlices", "Batch": as the function of Dataset that makes the node.
  std::string_view name() const { return name_; }
  // What that function was given, as text, without datasets, functions and
  // values that are the default: "size=4, drop_remainder=true".
  virtual std::string arguments() const { return ""; }
  NodeKind kind() const { return kind_; }
  // In order; none for sources.
  const std::vector<NodePtr>& inputs() const { return inputs_; }
  // A form of the node: the same transformation of other inputs. All forms of a
  // shuffle share its seed and count of passes; each form of a cache keeps the
  // elements of its own input. REQUIRES: the same number of inputs.
  virtual NodePtr WithInputs(std::vector<NodePtr> inputs) const = 0;

  // For caches, whose contents must outlive a rewritten pipeline: keeps `form`
  // under this name and returns it, or returns the form that is kept already.
  // Other nodes return `form`.
  virtual NodePtr KeepForm(const std::string& /*name*/, NodePtr form) const {
    return form;
  }

  // Computed once per node: pipelines may have many nodes, reached by many
  // paths.
  SpecStructure element_spec() const;
  // Whether element_spec() needs to call no function of the program.
  bool spec_is_declared() const;
  int64_t cardinality() const;
  // Whether making an element takes less time than handing it to another
  // thread.
  bool is_light() const;

  // Reads the elements as part of a pass. It may open the inputs at once or
  // later, once or several times.
  virtual ReaderPtr<Structure> OpenElements(const PassPtr& pass) const = 0;

  // If the elements are rows of a table: the table, and a reader of the row
  // numbers. Otherwise nullptr, and OpenRows must not be called.
  virtual TablePtr table() const { return nullptr; }
  virtual ReaderPtr<int64_t> OpenRows(const PassPtr&) const {
    LOCKSTEP_CHECK(table() != nullptr);
    return nullptr;
  }

  // Reads the parts of every element that `division` keeps, if the node can do
  // so without making the other parts. Otherwise nullptr.
  virtual ReaderPtr<Structure> OpenParts(const PassPtr& /*pass*/,
                                         const Division& /*division*/) const {
    return nullptr;
  }

  // Whether a pass from the same state (pass.h) gives the same again.
  virtual bool repeats() const { return kind_ != NodeKind::kUnordered; }
  // How many passes over its input a pass makes: those of a Repeat with an end.
  virtual int64_t passes_over_input() const { return 1; }

  // What the node keeps from pass to pass, or nullptr.
  virtual PassMemory* memory() const { return nullptr; }
  // The same for a shuffle, or a Random without a seed. Otherwise nullptr.
  virtual ShuffleMemory* shuffle_memory() const { return nullptr; }

  // For a source of files: the files, and the same source of other files.
  // nullptr for other nodes.
  virtual const std::vector<std::string>* files() const { return nullptr; }
  virtual NodePtr WithFiles(std::vector<std::string> /*files*/) const {
    return nullptr;
  }
  // For FlatMap and Interleave: the dataset that the function returns for the
  // first element of the next pass, without beginning that pass. nullptr if
  // there is no element, and for other nodes.
  virtual NodePtr FirstDataset() const { return nullptr; }
  // For WithOptions. nullptr for other nodes.
  virtual const DatasetOptions* options() const { return nullptr; }

 protected:
  // The only input of most nodes. REQUIRES: there is one.
  const DatasetNode& input() const { return *inputs_.front(); }

  // Compute what the functions above return. Each is called until it succeeds.
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

// Begins the next pass over a whole pipeline.
inline ReaderPtr<Structure> OpenPass(const DatasetNode& pipeline) {
  return pipeline.OpenElements(Pass::Begin(pipeline));
}

// The first element of the next pass, without beginning that pass; nothing if
// there is none. May call functions of the program.
std::optional<Structure> PeekAtFirst(const DatasetNode& pipeline);

// Base class of the sources.
class SourceNode : public DatasetNode {
 public:
  explicit SourceNode(std::string_view name) : DatasetNode(name, {}) {}
  NodePtr WithInputs(std::vector<NodePtr>) const final {
    return shared_from_this();
  }
};

// OpenElements or OpenRows, by the type of item.
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

// Base class of the transformations that select and order items without looking
// inside them. `Derived` defines template <typename Item> ReaderPtr<Item>
// MakeReader(pass) const, once for elements and row numbers.
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
