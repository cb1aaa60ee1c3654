// One source or transformation in a pipeline; immutable and shared.
#ifndef LOCKSTEP_REFERENCE_DATA_DATASET_NODE_H_
#define LOCKSTEP_REFERENCE_DATA_DATASET_NODE_H_

#include <cstdint>
#include <memory>
#include <utility>

#include "reference/base/check.h"
#include "reference/data/cardinality.h"
#include "reference/data/row_stream.h"
#include "reference/data/stream.h"
#include "reference/data/table.h"
#include "reference/tensor/nest.h"

namespace lockstep::data_internal {

class DatasetNode {
 public:
  DatasetNode() = default;
  virtual ~DatasetNode() = default;
  DatasetNode(const DatasetNode&) = delete;
  DatasetNode& operator=(const DatasetNode&) = delete;

  virtual SpecStructure element_spec() const = 0;
  // element_spec() calls no function of the program to know it.
  virtual bool spec_is_declared() const { return false; }
  virtual int64_t cardinality() const = 0;

  // Starts a pass over the elements.
  virtual StreamPtr<Structure> OpenElements() const = 0;

  // When elements are rows of a table: the table, and a pass over the numbers
  // of those rows. Else nullptr, and OpenRows must not be called.
  virtual TablePtr table() const { return nullptr; }
  virtual StreamPtr<int64_t> OpenRows() const {
    LOCKSTEP_CHECK(table() != nullptr);
    return nullptr;
  }

  // Making an element takes less time than handing it to another thread.
  virtual bool is_light() const { return table() != nullptr; }
};

using NodePtr = std::shared_ptr<const DatasetNode>;

// OpenElements or OpenRows, by the type of item wanted.
template <typename Item>
StreamPtr<Item> Open(const DatasetNode& node);
template <>
inline StreamPtr<Structure> Open<Structure>(const DatasetNode& node) {
  return node.OpenElements();
}
template <>
inline StreamPtr<int64_t> Open<int64_t>(const DatasetNode& node) {
  return node.OpenRows();
}

// Base of the transformations that choose and order items without looking
// inside: `Derived` offers template <typename Item> StreamPtr<Item>
// MakeStream() const, written once for elements and for row numbers.
template <typename Derived>
class SelectionNode : public DatasetNode {
 public:
  explicit SelectionNode(NodePtr input) : input_(std::move(input)) {}

  SpecStructure element_spec() const override { return input_->element_spec(); }
  bool spec_is_declared() const override { return input_->spec_is_declared(); }
  int64_t cardinality() const override { return input_->cardinality(); }
  TablePtr table() const final { return input_->table(); }
  bool is_light() const override { return input_->is_light(); }

  StreamPtr<int64_t> OpenRows() const final {
    return self().template MakeStream<int64_t>();
  }
  StreamPtr<Structure> OpenElements() const final {
    if (TablePtr rows = table()) {
      return std::make_unique<RowStream>(std::move(rows), OpenRows());
    }
    return self().template MakeStream<Structure>();
  }

 protected:
  const DatasetNode& input() const { return *input_; }
  const NodePtr& input_node() const { return input_; }

 private:
  const Derived& self() const { return static_cast<const Derived&>(*this); }

  NodePtr input_;
};

}  // namespace lockstep::data_internal

#endif  // LOCKSTEP_REFERENCE_DATA_DATASET_NODE_H_
