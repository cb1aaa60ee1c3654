#include "reference/data/ragged/ragged_batch.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "reference/base/error.h"
#include "reference/data/element.h"
#include "reference/data/printing/pipeline_text.h"
#include "reference/data/ragged/ragged.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep {
namespace {

using data_internal::Arguments;
using data_internal::DatasetNode;
using data_internal::NodePtr;
using data_internal::PassPtr;
using data_internal::Reader;
using data_internal::ReaderPtr;

bool BecomesRagged(const TensorSpec& leaf) {
  if (leaf.shape.fully_defined()) return false;
  if (leaf.shape[0] == kUnknownDim && leaf.shape.Tail().fully_defined()) {
    return true;
  }
  throw InvalidArgument(
      "[RaggedBatch] only the first dimension of a leaf may be unknown, got {}",
      ToString(leaf));
}

// A nest of the form of `spec` with function(leaf), a nest, in place of leaves.
template <typename To, typename Function>
Nest<To> MapForms(const SpecStructure& spec, const Function& function) {
  if (spec.is_leaf()) return function(spec.leaf());
  std::vector<Nest<To>> items;
  for (const SpecStructure& item : spec.items()) {
    items.push_back(MapForms<To>(item, function));
  }
  return Nest<To>::WithForm(spec.kind(), spec.keys(), std::move(items));
}

// Copies the values of one tensor after another.
class Appender {
 public:
  explicit Appender(Tensor& to) : to_(to) {}

  void Append(const Tensor& from) {
    const int64_t count = from.num_elements();
    if (from.dtype() == DType::kString) {
      std::copy_n(from.data<std::string>(), count,
                  to_.mutable_data<std::string>() + next_);
    } else if (count > 0) {
      std::memcpy(static_cast<std::byte*>(to_.mutable_raw_data()) +
                      next_ * DTypeSize(from.dtype()),
                  from.raw_data(), from.bytes());
    }
    next_ += count;
  }

 private:
  Tensor& to_;
  int64_t next_ = 0;
};

// The rows one after another, whose types and tails are those of `spec`.
Structure Ragged(const TensorSpec& spec, const std::vector<Tensor>& rows) {
  Tensor splits = EmptyOnHost(Shape{std::ssize(rows) + 1}, DType::kInt64);
  int64_t* split = splits.mutable_data<int64_t>();
  *split = 0;
  for (const Tensor& row : rows) {
    *(split + 1) = *split + row.dim(0);
    ++split;
  }
  Tensor values = EmptyOnHost(spec.shape.WithDim(0, *split), spec.dtype);
  Appender appender(values);
  for (const Tensor& row : rows) appender.Append(row);
  return MakeRagged(values, splits);
}

// REQUIRES: elements of the spec; at least one.
Structure Combined(const SpecStructure& spec,
                   std::span<const Structure> elements) {
  std::vector<std::vector<Tensor>> leaves;
  for (const Structure& element : elements) {
    data_internal::CheckElement("RaggedBatch", spec, element);
    leaves.push_back(element.Flatten());
  }
  size_t component = 0;
  return MapForms<Tensor>(spec, [&](const TensorSpec& leaf) {
    std::vector<Tensor> column;
    for (const auto& element : leaves) column.push_back(element[component]);
    ++component;
    if (BecomesRagged(leaf)) return Ragged(leaf, column);
    return data_internal::Stack(
        "RaggedBatch", std::vector<Structure>(column.begin(), column.end()));
  });
}

class RaggedBatchReader final : public Reader<Structure> {
 public:
  RaggedBatchReader(ReaderPtr<Structure> input, SpecStructure spec,
                    int64_t size, bool drop_remainder)
      : input_(std::move(input)),
        spec_(std::move(spec)),
        size_(size),
        drop_remainder_(drop_remainder) {}

  int64_t Next(std::span<Structure> out) override {
    std::vector<Structure> elements;
    Structure element;
    while (std::ssize(elements) < size_ && input_->Next({&element, 1}) == 1) {
      elements.push_back(std::move(element));
    }
    if (elements.empty()) return 0;
    if (drop_remainder_ && std::ssize(elements) < size_) return 0;
    out.front() = Combined(spec_, elements);
    return 1;
  }

 private:
  ReaderPtr<Structure> input_;
  SpecStructure spec_;
  int64_t size_;
  bool drop_remainder_;
};

class RaggedBatchNode final : public DatasetNode {
 public:
  RaggedBatchNode(NodePtr input, int64_t size, bool drop_remainder)
      : DatasetNode("RaggedBatch", {std::move(input)}),
        size_(size),
        drop_remainder_(drop_remainder) {}

  std::string arguments() const override {
    return Arguments()
        .Add("size", size_)
        .Add("drop_remainder", drop_remainder_, false)
        .text();
  }
  NodePtr WithInputs(std::vector<NodePtr> inputs) const override {
    return std::make_shared<RaggedBatchNode>(std::move(inputs.front()), size_,
                                             drop_remainder_);
  }
  SpecStructure MakeSpec() const override {
    const int64_t rows = drop_remainder_ ? size_ : kUnknownDim;
    return MapForms<TensorSpec>(
        input().element_spec(), [&](const TensorSpec& leaf) -> SpecStructure {
          if (!BecomesRagged(leaf)) {
            return TensorSpec{leaf.shape.Prepend(rows), leaf.dtype};
          }
          const int64_t splits = rows == kUnknownDim ? rows : rows + 1;
          return SpecStructure::Dict(
              {{"row_splits", TensorSpec{Shape{splits}, DType::kInt64}},
               {"values", leaf}});
        });
  }
  bool DeclaresSpec() const override { return input().spec_is_declared(); }
  int64_t CountElements() const override {
    return data_internal::BatchedCardinality(input().cardinality(), size_,
                                             drop_remainder_);
  }
  ReaderPtr<Structure> OpenElements(const PassPtr& pass) const override {
    return std::make_unique<RaggedBatchReader>(input().OpenElements(pass),
                                               input().element_spec(), size_,
                                               drop_remainder_);
  }

 private:
  int64_t size_;
  bool drop_remainder_;
};

}  // namespace

Dataset RaggedBatch(const Dataset& elements, int64_t size,
                    bool drop_remainder) {
  if (size < 1) {
    throw InvalidArgument("[RaggedBatch] batch size must be positive, got {}",
                          size);
  }
  return Dataset(
      std::make_shared<RaggedBatchNode>(elements.node(), size, drop_remainder));
}

}  // namespace lockstep
