// What datasets are made of: nodes, one for each source and transformation,
// that open streams of elements or of row numbers.
#ifndef LOCKSTEP_REFERENCE_DATA_DATASET_NODE_H_
#define LOCKSTEP_REFERENCE_DATA_DATASET_NODE_H_

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "reference/base/check.h"
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

// A sequence of items read once from front to back, many at a time.
//
// Transformations that only choose and order items (shuffle, take, repeat ...)
// are written once for any item, and used with two: Structure (the elements
// themselves) and int64_t (row numbers of a Table, so that no element is made
// before it is needed).
template <typename Item>
class Stream {
 public:
  Stream() = default;
  virtual ~Stream() = default;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  // Puts the next items into the front of `out` and returns how many: at least
  // one and at most out.size(), or 0 at the end, and for ever after.
  // An exception costs the item that caused it; the next call goes on behind.
  // REQUIRES: out is not empty.
  virtual int64_t Next(std::span<Item> out) = 0;
};

template <typename Item>
using StreamPtr = std::unique_ptr<Stream<Item>>;

// How many items are read ahead where that has no visible effect: row numbers
// are free, elements may run a user's function.
template <typename Item>
inline constexpr int64_t kReadAhead = 1;
template <>
inline constexpr int64_t kReadAhead<int64_t> = 1024;

// Fills `out` unless the stream ends before. Returns the items read.
template <typename Item>
int64_t ReadFully(Stream<Item>& stream, std::span<Item> out) {
  int64_t filled = 0;
  while (filled < std::ssize(out)) {
    const int64_t read = stream.Next(out.subspan(filled));
    if (read == 0) break;
    filled += read;
  }
  return filled;
}

// Elements that can be had in any order by number: what makes shuffling and
// batching cheap. A transformation that only reorders passes numbers on; a
// batch gathers its rows straight from the source, each copied once.
class Table {
 public:
  virtual ~Table() = default;

  // Element `row`. REQUIRES: the row exists.
  virtual Structure Row(int64_t row) const = 0;

  // The elements `rows` stacked along a new first axis. Neighbouring rows may
  // come as a view of the source. REQUIRES: the rows exist.
  virtual Structure Gather(std::span<const int64_t> rows) const = 0;

  // Bytes that one row adds to a batch.
  virtual int64_t row_bytes() const = 0;
};

using TablePtr = std::shared_ptr<const Table>;

// rows[i + 1] == rows[i] + 1 for all i.
inline bool AreConsecutive(std::span<const int64_t> rows) {
  if (rows.back() - rows.front() != std::ssize(rows) - 1) return false;
  for (size_t i = 1; i < rows.size(); ++i) {
    if (rows[i] != rows[i - 1] + 1) return false;
  }
  return true;
}

// The elements behind a stream of row numbers.
class RowStream final : public Stream<Structure> {
 public:
  RowStream(TablePtr table, StreamPtr<int64_t> rows);

  int64_t Next(std::span<Structure> out) override;

 private:
  TablePtr table_;
  StreamPtr<int64_t> rows_;
  std::array<int64_t, 256> numbers_;
  int64_t next_ = 0;
  int64_t end_ = 0;
};

// One source or transformation in a pipeline; immutable and shared.
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
