#include "reference/data/sources/tensor_slices.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "reference/base/error.h"
#include "reference/data/element_spec.h"
#include "reference/data/gather_rows.h"
#include "reference/data/host_element.h"
#include "reference/data/sources/row_sequence.h"
#include "reference/data/sources/tensors.h"

namespace lockstep::data_internal {
namespace {

int64_t CountRows(const Structure& tensors) {
  const std::vector<Tensor> leaves = tensors.Flatten();
  if (leaves.empty()) {
    throw InvalidArgument("[FromTensorSlices] there are no tensors to slice");
  }
  CheckDefined("FromTensorSlices", tensors);
  RemoveAxis("FromTensorSlices", SpecOfElement(tensors));
  const int64_t rows = leaves.front().dim(0);
  for (const Tensor& leaf : leaves) {
    if (leaf.dim(0) != rows) {
      throw InvalidArgument(
          "[FromTensorSlices] all tensors need the same number of rows, got "
          "{} and {}",
          rows, leaf.dim(0));
    }
  }
  return rows;
}

class TensorSlicesTable final : public Table {
 public:
  explicit TensorSlicesTable(const Structure& tensors) : tensors_(tensors) {
    tensors.ForEach([&](const Tensor& tensor) {
      row_bytes_ += tensor.bytes() / std::max<int64_t>(tensor.dim(0), 1);
    });
  }

  Structure Row(int64_t row) const override {
    return tensors_.Map<Tensor>(
        [row](const Tensor& tensor) { return tensor.Row(row); });
  }
  Structure Gather(std::span<const int64_t> rows) const override {
    if (AreConsecutive(rows)) {
      return tensors_.Map<Tensor>([&](const Tensor& tensor) {
        return tensor.Slice(rows.front(), rows.back() + 1);
      });
    }
    return tensors_.Map<Tensor>(
        [&](const Tensor& tensor) { return GatherRows(tensor, rows); });
  }
  int64_t row_bytes() const override { return row_bytes_; }

 private:
  Structure tensors_;
  int64_t row_bytes_ = 0;
};

class TensorSlicesNode final : public DatasetNode {
 public:
  TensorSlicesNode(const Structure& tensors, int64_t rows)
      : spec_(RemoveAxis("FromTensorSlices", SpecOfElement(tensors))),
        rows_(rows),
        table_(std::make_shared<TensorSlicesTable>(tensors)) {}

  SpecStructure element_spec() const override { return spec_; }
  bool spec_is_declared() const override { return true; }
  int64_t cardinality() const override { return rows_; }
  TablePtr table() const override { return table_; }
  StreamPtr<int64_t> OpenRows() const override {
    return std::make_unique<RowSequence>(rows_);
  }
  StreamPtr<Structure> OpenElements() const override {
    return std::make_unique<RowStream>(table_, OpenRows());
  }

 private:
  SpecStructure spec_;
  int64_t rows_;
  TablePtr table_;
};

}  // namespace

NodePtr MakeTensorSlices(const Structure& tensors) {
  const int64_t rows = CountRows(tensors);
  return std::make_shared<TensorSlicesNode>(ToHost(tensors), rows);
}

}  // namespace lockstep::data_internal
