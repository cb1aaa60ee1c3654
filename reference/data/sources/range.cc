#include "reference/data/sources/range.h"

#include <memory>

#include "reference/base/error.h"
#include "reference/data/sources/row_sequence.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::data_internal {
namespace {

int64_t CountNumbers(int64_t start, int64_t stop, int64_t step) {
  if (step == 0) throw InvalidArgument("[Range] step must not be 0");
  if (step > 0 ? stop <= start : stop >= start) return 0;
  // Unsigned: the distance may exceed int64, as from its least to its greatest.
  const uint64_t low = static_cast<uint64_t>(step > 0 ? start : stop);
  const uint64_t high = static_cast<uint64_t>(step > 0 ? stop : start);
  const uint64_t stride =
      step > 0 ? static_cast<uint64_t>(step) : 0 - static_cast<uint64_t>(step);
  const uint64_t count = (high - low - 1) / stride + 1;
  if (count > static_cast<uint64_t>(INT64_MAX)) {
    throw InvalidArgument("[Range] {} numbers from {} to {} are too many",
                          count, start, stop);
  }
  return static_cast<int64_t>(count);
}

class RangeTable final : public Table {
 public:
  RangeTable(int64_t start, int64_t step) : start_(start), step_(step) {}

  Structure Row(int64_t row) const override {
    return Tensor::Scalar<int64_t>(start_ + row * step_, CurrentHost());
  }
  Structure Gather(std::span<const int64_t> rows) const override {
    Tensor batch = EmptyOnHost(Shape{std::ssize(rows)}, DType::kInt64);
    int64_t* out = batch.mutable_data<int64_t>();
    for (size_t i = 0; i < rows.size(); ++i) out[i] = start_ + rows[i] * step_;
    return batch;
  }
  int64_t row_bytes() const override { return sizeof(int64_t); }

 private:
  int64_t start_;
  int64_t step_;
};

class RangeNode final : public DatasetNode {
 public:
  RangeNode(int64_t start, int64_t count, int64_t step)
      : count_(count), table_(std::make_shared<RangeTable>(start, step)) {}

  SpecStructure element_spec() const override {
    return TensorSpec{Shape{}, DType::kInt64};
  }
  bool spec_is_declared() const override { return true; }
  int64_t cardinality() const override { return count_; }
  TablePtr table() const override { return table_; }
  StreamPtr<int64_t> OpenRows() const override {
    return std::make_unique<RowSequence>(count_);
  }
  StreamPtr<Structure> OpenElements() const override {
    return std::make_unique<RowStream>(table_, OpenRows());
  }

 private:
  int64_t count_;
  TablePtr table_;
};

}  // namespace

NodePtr MakeRange(int64_t start, int64_t stop, int64_t step) {
  const int64_t count = CountNumbers(start, stop, step);
  return std::make_shared<RangeNode>(start, count, step);
}

}  // namespace lockstep::data_internal
