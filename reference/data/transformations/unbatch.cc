#include "reference/data/transformations/unbatch.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "reference/base/error.h"
#include "reference/data/element_spec.h"

namespace lockstep::data_internal {
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
