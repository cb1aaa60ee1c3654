// Passes over the items of a dataset: elements, or row numbers if the elements
// are rows of a table.
#ifndef LOCKSTEP_REFERENCE_DATA_READER_H_
#define LOCKSTEP_REFERENCE_DATA_READER_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "reference/tensor/nest.h"

namespace lockstep::data_internal {

// A sequence of items that is read once from front to back, many at a time.
//
// Transformations that only select and order items (shuffle, take, repeat ...)
// are written once for any item and used with two: Structure, the elements
// themselves, and int64_t, row numbers of a Table, so that no element is made
// before it is needed.
template <typename Item>
class Reader {
 public:
  Reader() = default;
  virtual ~Reader() = default;
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  // Puts the next items into the front of `out` and returns how many: at least
  // one and at most out.size(), or 0 at the end and in every later call. An
  // exception costs the item that caused it; the next call continues after that
  // item. REQUIRES: out is not empty.
  virtual int64_t Next(std::span<Item> out) = 0;
};

template <typename Item>
using ReaderPtr = std::unique_ptr<Reader<Item>>;

// Items that readers share.
template <typename Item>
using Items = std::shared_ptr<const std::vector<Item>>;

template <typename Item>
class ItemsReader final : public Reader<Item> {
 public:
  explicit ItemsReader(Items<Item> items) : items_(std::move(items)) {}

  int64_t Next(std::span<Item> out) override {
    const int64_t read =
        std::min<int64_t>(std::ssize(out), std::ssize(*items_) - next_);
    std::copy_n(items_->begin() + next_, read, out.begin());
    next_ += read;
    return read;
  }

 private:
  Items<Item> items_;
  int64_t next_ = 0;
};

// How many items may be read ahead without a visible effect: row numbers are
// free, elements may run a user's function.
template <typename Item>
inline constexpr int64_t kReadAhead = 1;
template <>
inline constexpr int64_t kReadAhead<int64_t> = 1024;

// Fills `out` unless the reader ends first. Returns the number of items read.
template <typename Item>
int64_t ReadFully(Reader<Item>& reader, std::span<Item> out) {
  int64_t filled = 0;
  while (filled < std::ssize(out)) {
    const int64_t read = reader.Next(out.subspan(filled));
    if (read == 0) break;
    filled += read;
  }
  return filled;
}

// Elements with random access by number, which make shuffling and batching
// cheap: a transformation that only reorders passes numbers on, and a batch
// gathers its rows from the source, each copied once.
class Table {
 public:
  virtual ~Table() = default;

  // Element `row`. REQUIRES: the row exists.
  virtual Structure Row(int64_t row) const = 0;

  // The elements `rows` stacked along a new first axis. May return a view of
  // the source if the rows are consecutive. REQUIRES: the rows exist.
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

// The elements whose row numbers a reader yields.
class RowReader final : public Reader<Structure> {
 public:
  RowReader(TablePtr table, ReaderPtr<int64_t> rows);

  int64_t Next(std::span<Structure> out) override;

 private:
  TablePtr table_;
  ReaderPtr<int64_t> rows_;
  std::array<int64_t, 256> numbers_;
  int64_t next_ = 0;
  int64_t end_ = 0;
};

}  // namespace lockstep::data_internal

#endif  // LOCKSTEP_REFERENCE_DATA_READER_H_
