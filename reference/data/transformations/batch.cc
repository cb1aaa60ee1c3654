#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "reference/base/error.h"
#include "reference/data/element.h"
#include "reference/data/printing/pipeline_text.h"
#include "reference/data/rebatch.h"
#include "reference/data/transformations/transformations.h"

namespace lockstep::data_internal {
namespace {

// Above this size filling a batch takes longer than handing it to a thread.
constexpr int64_t kLightBatchBytes = 16384;

// Reads up to `size` items. Allocates as items arrive: the size of a batch may
// be far larger than the dataset.
template <typename Item>
void ReadBatch(Reader<Item>& reader, int64_t size, std::vector<Item>& items) {
  constexpr int64_t kMostAtOnce = 4096;
  items.clear();
  while (std::ssize(items) < size) {
    const int64_t before = std::ssize(items);
    const int64_t wanted = std::min(kMostAtOnce, size - before);
    items.resize(before + wanted);
    const int64_t read =
        ReadFully(reader, std::span<Item>(items).subspan(before));
    items.resize(before + read);
    if (read < wanted) return;
  }
}

Structure Combine(const Table* table, std::span<const int64_t> rows) {
  return table->Gather(rows);
}
Structure Combine(const Table*, std::span<const Structure> elements) {
  return Stack("Batch", elements);
}

template <typename Item>
class BatchReader final : public Reader<Structure> {
 public:
  BatchReader(TablePtr table, ReaderPtr<Item> input, int64_t size,
              bool drop_remainder)
      : table_(std::move(table)),
        input_(std::move(input)),
        size_(size),
        drop_remainder_(drop_remainder) {}

  int64_t Next(std::span<Structure> out) override {
    ReadBatch(*input_, size_, items_);
    if (items_.empty()) return 0;
    if (drop_remainder_ && std::ssize(items_) < size_) return 0;
    out.front() = Combine(table_.get(), std::span<const Item>(items_));
    return 1;
  }

 private:
  TablePtr table_;
  ReaderPtr<Item> input_;
  int64_t size_;
  bool drop_remainder_;
  std::vector<Item> items_;
};

// The parts of batches that a division keeps. Rows of other parts are read but
// never copied.
template <typename Item>
class DividedBatchReader final : public Reader<Structure> {
 public:
  DividedBatchReader(TablePtr table, ReaderPtr<Item> input, int64_t size,
                     bool drop_remainder, const Division& division)
      : table_(std::move(table)),
        input_(std::move(input)),
        size_(size),
        drop_remainder_(drop_remainder),
        division_(division),
        next_part_(division.end()) {}

  int64_t Next(std::span<Structure> out) override {
    if (next_part_ == division_.end() && !ReadNext()) return 0;
    const int64_t part = next_part_;
    next_part_ = division_.end();  // an error costs the rest of the batch
    out.front() = Part(part);
    next_part_ = part + 1;
    return 1;
  }

 private:
  bool ReadNext() {
    ReadBatch(*input_, size_, items_);
    if (items_.empty()) return false;
    if (drop_remainder_ && std::ssize(items_) < size_) return false;
    next_part_ = division_.first;
    return true;
  }

  Structure Part(int64_t part) const {
    const auto [begin, end] =
        RowsOfPart(std::ssize(items_), division_.parts, part);
    const std::span<const Item> items(items_);
    if (begin == end) return EmptyLike(Combine(table_.get(), items.first(1)));
    return Combine(table_.get(), items.subspan(begin, end - begin));
  }

  TablePtr table_;
  ReaderPtr<Item> input_;
  int64_t size_;
  bool drop_remainder_;
  Division division_;
  int64_t next_part_;
  std::vector<Item> items_;
};

class BatchNode final : public DatasetNode {
 public:
  BatchNode(NodePtr input, int64_t size, bool drop_remainder)
      : DatasetNode("Batch", {std::move(input)}),
        size_(size),
        drop_remainder_(drop_remainder) {}

  std::string arguments() const override {
    return Arguments()
        .Add("size", size_)
        .Add("drop_remainder", drop_remainder_, false)
        .text();
  }
  NodePtr WithInputs(std::vector<NodePtr> inputs) const override {
    return std::make_shared<BatchNode>(std::move(inputs.front()), size_,
                                       drop_remainder_);
  }
  SpecStructure MakeSpec() const override {
    return PrependAxis(input().element_spec(),
                       drop_remainder_ ? size_ : kUnknownDim);
  }
  bool DeclaresSpec() const override { return input().spec_is_declared(); }
  int64_t CountElements() const override {
    return BatchedCardinality(input().cardinality(), size_, drop_remainder_);
  }
  bool IsLight() const override {
    const TablePtr rows = input().table();
    return rows != nullptr &&
           size_ <= kLightBatchBytes / std::max<int64_t>(rows->row_bytes(), 1);
  }
  ReaderPtr<Structure> OpenElements(const PassPtr& pass) const override {
    if (input().table() != nullptr) return Batches<int64_t>(pass);
    return Batches<Structure>(pass);
  }
  ReaderPtr<Structure> OpenParts(const PassPtr& pass,
                                 const Division& division) const override {
    if (input().table() != nullptr) return Parts<int64_t>(pass, division);
    return Parts<Structure>(pass, division);
  }

 private:
  template <typename Item>
  ReaderPtr<Structure> Batches(const PassPtr& pass) const {
    return std::make_unique<BatchReader<Item>>(
        input().table(), Open<Item>(input(), pass), size_, drop_remainder_);
  }
  template <typename Item>
  ReaderPtr<Structure> Parts(const PassPtr& pass,
                             const Division& division) const {
    return std::make_unique<DividedBatchReader<Item>>(
        input().table(), Open<Item>(input(), pass), size_, drop_remainder_,
        division);
  }

  int64_t size_;
  bool drop_remainder_;
};

}  // namespace

NodePtr MakeBatch(NodePtr input, int64_t size, bool drop_remainder) {
  if (size < 1) {
    throw InvalidArgument("[Batch] batch size must be positive, got {}", size);
  }
  return std::make_shared<BatchNode>(std::move(input), size, drop_remainder);
}

}  // namespace lockstep::data_internal
