#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "reference/base/error.h"
#include "reference/data/element.h"
#include "reference/data/printing/pipeline_text.h"
#include "reference/data/transformations/transformations.h"
#include "reference/tensor/host_tensor.h"
#include "reference/tensor/narrow_float.h"

namespace lockstep::data_internal {
namespace {

Tensor Filled(const Shape& shape, DType dtype, double padding) {
  return VisitDType(dtype, [&]<typename T>() -> Tensor {
    if constexpr (kIsNumber<T>) {
      const T value = CastNumber<T>(padding);
      if (std::is_integral_v<T> && static_cast<double>(value) != padding) {
        throw InvalidArgument("[PaddedBatch] {} cannot be padded by {}",
                              DTypeName(dtype), padding);
      }
      return Tensor::Full<T>(shape, value, CurrentHost());
    } else {
      throw InvalidArgument("[PaddedBatch] strings cannot be padded by {}",
                            padding);
    }
  });
}

// Copies `from` to the start of `to`, whose axes are at least as long.
void CopyCorner(const std::byte* from, std::span<const int64_t> from_dims,
                std::byte* to, std::span<const int64_t> to_dims, size_t size) {
  if (from_dims.empty()) {
    std::memcpy(to, from, size);
    return;
  }
  const Shape from_tail(from_dims.subspan(1));
  const Shape to_tail(to_dims.subspan(1));
  for (int64_t i = 0; i < from_dims[0]; ++i) {
    CopyCorner(from + i * from_tail.num_elements() * size, from_tail.dims(),
               to + i * to_tail.num_elements() * size, to_tail.dims(), size);
  }
}

Tensor PadTo(const Tensor& tensor, const Shape& shape, double padding) {
  if (tensor.shape() == shape) return tensor;
  Tensor padded = Filled(shape, tensor.dtype(), padding);
  CopyCorner(static_cast<const std::byte*>(tensor.raw_data()),
             tensor.shape().dims(),
             static_cast<std::byte*>(padded.mutable_raw_data()), shape.dims(),
             DTypeSize(tensor.dtype()));
  return padded;
}

// The longest extent of every axis, for every leaf.
std::vector<Shape> LongestShapes(std::span<const Structure> elements) {
  std::vector<Shape> longest;
  for (const Tensor& leaf : elements.front().Flatten()) {
    longest.push_back(leaf.shape());
  }
  for (const Structure& element : elements) {
    MergeSpecs("PaddedBatch", SpecOfElement(elements.front()),
               SpecOfElement(element));
    size_t component = 0;
    element.ForEach([&](const Tensor& leaf) {
      Shape& shape = longest[component++];
      for (int axis = 0; axis < shape.rank(); ++axis) {
        shape = shape.WithDim(axis, std::max(shape[axis], leaf.dim(axis)));
      }
    });
  }
  return longest;
}

// Sets the dimensions that the spec does not know.
void SetLength(const std::vector<TensorSpec>& specs, int64_t length,
               std::vector<Shape>& shapes) {
  for (size_t i = 0; i < shapes.size(); ++i) {
    for (int axis = 0; axis < shapes[i].rank(); ++axis) {
      if (specs[i].shape[axis] != kUnknownDim) continue;
      if (shapes[i][axis] > length) {
        throw DataLoss(
            "[PaddedBatch] an element of shape {} cannot be padded to the "
            "length {}",
            ToString(shapes[i]), length);
      }
      shapes[i] = shapes[i].WithDim(axis, length);
    }
  }
}

// How to pad.
struct Padding {
  double value = 0;
  std::optional<int64_t> length;  // of the dimensions that `specs` do not know
  std::vector<TensorSpec> specs;  // of elements, if there is a length
};

class PaddedBatchReader final : public Reader<Structure> {
 public:
  PaddedBatchReader(ReaderPtr<Structure> input, int64_t size, Padding padding,
                    bool drop_remainder)
      : input_(std::move(input)),
        size_(size),
        padding_(std::move(padding)),
        drop_remainder_(drop_remainder) {}

  int64_t Next(std::span<Structure> out) override {
    std::vector<Structure> elements;
    Structure element;
    while (std::ssize(elements) < size_ && input_->Next({&element, 1}) == 1) {
      elements.push_back(std::move(element));
    }
    if (elements.empty()) return 0;
    if (drop_remainder_ && std::ssize(elements) < size_) return 0;
    out.front() = PadAndStack(elements);
    return 1;
  }

 private:
  Structure PadAndStack(std::vector<Structure>& elements) const {
    std::vector<Shape> shapes = LongestShapes(elements);
    if (padding_.length) SetLength(padding_.specs, *padding_.length, shapes);
    for (Structure& element : elements) {
      size_t component = 0;
      element = element.Map<Tensor>([&](const Tensor& leaf) {
        return PadTo(leaf, shapes[component++], padding_.value);
      });
    }
    return Stack("PaddedBatch", elements);
  }

  ReaderPtr<Structure> input_;
  int64_t size_;
  Padding padding_;
  bool drop_remainder_;
};

class PaddedBatchNode final : public DatasetNode {
 public:
  PaddedBatchNode(NodePtr input, int64_t size, double padding,
                  bool drop_remainder, std::optional<int64_t> length)
      : DatasetNode("PaddedBatch", {std::move(input)}),
        size_(size),
        padding_(padding),
        drop_remainder_(drop_remainder),
        length_(length) {}

  std::string arguments() const override {
    return Arguments()
        .Add("size", size_)
        .Add("padding", padding_, 0.0)
        .Add("drop_remainder", drop_remainder_, false)
        .text();
  }
  NodePtr WithInputs(std::vector<NodePtr> inputs) const override {
    return std::make_shared<PaddedBatchNode>(
        std::move(inputs.front()), size_, padding_, drop_remainder_, length_);
  }
  SpecStructure MakeSpec() const override {
    return PrependAxis(input().element_spec(),
                       drop_remainder_ ? size_ : kUnknownDim);
  }
  bool DeclaresSpec() const override { return input().spec_is_declared(); }
  int64_t CountElements() const override {
    return BatchedCardinality(input().cardinality(), size_, drop_remainder_);
  }
  ReaderPtr<Structure> OpenElements(const PassPtr& pass) const override {
    Padding padding{.value = padding_, .length = length_, .specs = {}};
    if (length_) padding.specs = input().element_spec().Flatten();
    return std::make_unique<PaddedBatchReader>(
        input().OpenElements(pass), size_, std::move(padding), drop_remainder_);
  }

 private:
  int64_t size_;
  double padding_;
  bool drop_remainder_;
  std::optional<int64_t> length_;
};

}  // namespace

NodePtr MakePaddedBatch(NodePtr input, int64_t size, double padding,
                        bool drop_remainder, std::optional<int64_t> length) {
  if (size < 1) {
    throw InvalidArgument("[PaddedBatch] batch size must be positive, got {}",
                          size);
  }
  return std::make_shared<PaddedBatchNode>(std::move(input), size, padding,
                                           drop_remainder, length);
}

}  // namespace lockstep::data_internal
