#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "reference/base/error.h"
#include "reference/data/element.h"
#include "reference/data/transformations/transformations.h"

namespace lockstep::data_internal {
namespace {

// Above this size filling a batch takes longer than handing it to a thread.
constexpr int64_t kLightBatchBytes = 16384;

// Reads up to `size` items. Room grows with what arrives: the size of a batch
// may exceed the dataset by far.
template <typename Item>
void ReadBatch(Stream<Item>& stream, int64_t size, std::vector<Item>& items) {
  constexpr int64_t kStep = 4096;
  items.clear();
  while (std::ssize(items) < size) {
    const int64_t before = std::ssize(items);
    const int64_t wanted = std::min(kStep, size - before);
    items.resize(before + wanted);
    const int64_t read =
        ReadFully(stream, std::span<Item>(items).subspan(before));
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
class BatchStream final : public Stream<Structure> {
 public:
  BatchStream(TablePtr table, StreamPtr<Item> input, int64_t size,
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
  StreamPtr<Item> input_;
  int64_t size_;
  bool drop_remainder_;
  std::vector<Item> items_;
};

class BatchNode final : public DatasetNode {
 public:
  BatchNode(NodePtr input, int64_t size, bool drop_remainder)
      : input_(std::move(input)),
        size_(size),
        drop_remainder_(drop_remainder) {}

  SpecStructure element_spec() const override {
    return PrependAxis(input_->element_spec(),
                       drop_remainder_ ? size_ : kUnknownDim);
  }
  bool spec_is_declared() const override { return input_->spec_is_declared(); }
  int64_t cardinality() const override {
    return BatchedCardinality(input_->cardinality(), size_, drop_remainder_);
  }
  bool is_light() const override {
    const TablePtr rows = input_->table();
    return rows != nullptr &&
           size_ <= kLightBatchBytes / std::max<int64_t>(rows->row_bytes(), 1);
  }
  StreamPtr<Structure> OpenElements() const override {
    if (input_->table() != nullptr) return Batches<int64_t>();
    return Batches<Structure>();
  }

 private:
  template <typename Item>
  StreamPtr<Structure> Batches() const {
    return std::make_unique<BatchStream<Item>>(
        input_->table(), Open<Item>(*input_), size_, drop_remainder_);
  }

  NodePtr input_;
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

namespace {

int64_t CountRows(const Structure& batch) {
  int64_t rows = -1;
  batch.ForEach([&](const Tensor& leaf) {
    if (leaf.rank() == 0 || (rows >= 0 && leaf.dim(0) != rows)) {
      throw InvalidArgument(
          "[Unbatch] all components need the same number of rows, got {}",
          DescribeSpec(SpecOfElement(batch)));
    }
    rows = leaf.dim(0);
  });
  return std::max<int64_t>(rows, 0);
}

class UnbatchStream final : public Stream<Structure> {
 public:
  explicit UnbatchStream(StreamPtr<Structure> input)
      : input_(std::move(input)) {}

  int64_t Next(std::span<Structure> out) override {
    while (next_ == end_) {
      if (input_->Next({&batch_, 1}) == 0) return 0;
      next_ = end_ = 0;
      end_ = CountRows(batch_);
    }
    const int64_t count = std::min<int64_t>(std::ssize(out), end_ - next_);
    for (int64_t i = 0; i < count; ++i, ++next_) {
      out[i] = batch_.Map<Tensor>(
          [&](const Tensor& leaf) { return leaf.Row(next_); });
    }
    return count;
  }

 private:
  StreamPtr<Structure> input_;
  Structure batch_;
  int64_t next_ = 0;
  int64_t end_ = 0;
};

class UnbatchNode final : public DatasetNode {
 public:
  explicit UnbatchNode(NodePtr input) : input_(std::move(input)) {}

  SpecStructure element_spec() const override {
    return RemoveAxis("Unbatch", input_->element_spec());
  }
  bool spec_is_declared() const override { return input_->spec_is_declared(); }
  int64_t cardinality() const override {
    const int64_t batches = input_->cardinality();
    return batches <= 0 ? batches : kUnknownCardinality;
  }
  bool is_light() const override { return input_->is_light(); }
  StreamPtr<Structure> OpenElements() const override {
    return std::make_unique<UnbatchStream>(input_->OpenElements());
  }

 private:
  NodePtr input_;
};

}  // namespace

NodePtr MakeUnbatch(NodePtr input) {
  return std::make_shared<UnbatchNode>(std::move(input));
}

}  // namespace lockstep::data_internal
