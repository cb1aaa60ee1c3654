#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "reference/base/error.h"
#include "reference/data/dataset_node.h"
#include "reference/data/element.h"
#include "reference/data/printing/pipeline_text.h"
#include "reference/data/sources/sources.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::data_internal {

// Row numbers 0, 1, ..., count - 1.
class RowSequence final : public Reader<int64_t> {
 public:
  explicit RowSequence(int64_t count) : count_(count) {}

  int64_t Next(std::span<int64_t> out) override {
    const int64_t read = std::min<int64_t>(std::ssize(out), count_ - next_);
    std::iota(out.begin(), out.begin() + read, next_);
    next_ += read;
    return read;
  }

 private:
  int64_t next_ = 0;
  int64_t count_;
};

namespace {

class OneElementReader final : public Reader<Structure> {
 public:
  explicit OneElementReader(Structure element) : element_(std::move(element)) {}

  int64_t Next(std::span<Structure> out) override {
    if (std::exchange(at_end_, true)) return 0;
    out.front() = std::move(element_);
    return 1;
  }

 private:
  Structure element_;
  bool at_end_ = false;
};

class TensorsNode final : public SourceNode {
 public:
  explicit TensorsNode(const Structure& element)
      : SourceNode("Tensors"), element_(element) {}

  SpecStructure MakeSpec() const override { return SpecOfElement(element_); }
  bool DeclaresSpec() const override { return true; }
  int64_t CountElements() const override { return 1; }
  bool IsLight() const override { return true; }
  ReaderPtr<Structure> OpenElements(const PassPtr&) const override {
    return std::make_unique<OneElementReader>(element_);
  }

 private:
  Structure element_;
};

}  // namespace

void CheckDefined(std::string_view operation, const Structure& tensors) {
  tensors.ForEach([&](const Tensor& tensor) {
    if (!tensor.defined()) {
      throw InvalidArgument("[{}] a tensor holds nothing", operation);
    }
  });
}

NodePtr MakeTensors(const Structure& element) {
  CheckDefined("FromTensors", element);
  return std::make_shared<TensorsNode>(ToHost(element));
}

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

class TensorSlicesNode final : public SourceNode {
 public:
  TensorSlicesNode(const Structure& tensors, int64_t rows)
      : SourceNode("TensorSlices"),
        spec_(RemoveAxis("FromTensorSlices", SpecOfElement(tensors))),
        rows_(rows),
        table_(std::make_shared<TensorSlicesTable>(tensors)) {}

  std::string arguments() const override {
    return Arguments().Add("rows", rows_).text();
  }
  SpecStructure MakeSpec() const override { return spec_; }
  bool DeclaresSpec() const override { return true; }
  int64_t CountElements() const override { return rows_; }
  TablePtr table() const override { return table_; }
  ReaderPtr<int64_t> OpenRows(const PassPtr&) const override {
    return std::make_unique<RowSequence>(rows_);
  }
  ReaderPtr<Structure> OpenElements(const PassPtr& pass) const override {
    return std::make_unique<RowReader>(table_, OpenRows(pass));
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

namespace {

int64_t CountNumbers(int64_t start, int64_t stop, int64_t step) {
  if (step == 0) throw InvalidArgument("[Range] step must not be 0");
  if (step > 0 ? stop <= start : stop >= start) return 0;
  // Unsigned: the distance may exceed int64, as from its minimum to its
  // maximum.
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

class RangeNode final : public SourceNode {
 public:
  RangeNode(int64_t start, int64_t stop, int64_t step, int64_t count)
      : SourceNode("Range"),
        start_(start),
        stop_(stop),
        step_(step),
        count_(count),
        table_(std::make_shared<RangeTable>(start, step)) {}

  std::string arguments() const override {
    return Arguments()
        .Add("start", start_, int64_t{0})
        .Add("stop", stop_)
        .Add("step", step_, int64_t{1})
        .text();
  }
  SpecStructure MakeSpec() const override {
    return TensorSpec{Shape{}, DType::kInt64};
  }
  bool DeclaresSpec() const override { return true; }
  int64_t CountElements() const override { return count_; }
  TablePtr table() const override { return table_; }
  ReaderPtr<int64_t> OpenRows(const PassPtr&) const override {
    return std::make_unique<RowSequence>(count_);
  }
  ReaderPtr<Structure> OpenElements(const PassPtr& pass) const override {
    return std::make_unique<RowReader>(table_, OpenRows(pass));
  }

 private:
  int64_t start_;
  int64_t stop_;
  int64_t step_;
  int64_t count_;
  TablePtr table_;
};

}  // namespace

NodePtr MakeRange(int64_t start, int64_t stop, int64_t step) {
  const int64_t count = CountNumbers(start, stop, step);
  return std::make_shared<RangeNode>(start, stop, step, count);
}

}  // namespace lockstep::data_internal
