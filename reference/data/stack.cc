#include "reference/data/stack.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "reference/base/check.h"
#include "reference/base/error.h"
#include "reference/data/element_spec.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::data_internal {
namespace {

void CopyInto(Tensor& batch, int64_t row, const Tensor& value) {
  const int64_t count = value.num_elements();
  if (value.dtype() == DType::kString) {
    std::copy_n(value.data<std::string>(), count,
                batch.mutable_data<std::string>() + row * count);
  } else {
    std::memcpy(
        static_cast<std::byte*>(batch.mutable_raw_data()) + row * value.bytes(),
        value.raw_data(), value.bytes());
  }
}

Tensor StackLeaves(std::string_view operation, size_t component,
                   std::span<const Tensor* const> leaves) {
  const Tensor& first = *leaves.front();
  Tensor batch =
      EmptyOnHost(first.shape().Prepend(std::ssize(leaves)), first.dtype());
  for (size_t row = 0; row < leaves.size(); ++row) {
    if (leaves[row]->dtype() != first.dtype() ||
        leaves[row]->shape() != first.shape()) {
      throw InvalidArgument(
          "[{}] elements of one batch must be alike: in component {} the first "
          "is {}, element {} is {}",
          operation, component, Describe(first), row, Describe(*leaves[row]));
    }
    CopyInto(batch, row, *leaves[row]);
  }
  return batch;
}

// Appends the address of every leaf, element by element.
std::vector<const Tensor*> Leaves(std::string_view operation,
                                  std::span<const Structure> elements) {
  std::vector<const Tensor*> leaves;
  for (const Structure& element : elements) {
    if (!element.SameFormAs(elements.front())) {
      throw InvalidArgument("[{}] {} and {} cannot be in one batch", operation,
                            DescribeSpec(SpecOfElement(elements.front())),
                            DescribeSpec(SpecOfElement(element)));
    }
    element.ForEach([&](const Tensor& leaf) { leaves.push_back(&leaf); });
  }
  return leaves;
}

}  // namespace

Structure Stack(std::string_view operation,
                std::span<const Structure> elements) {
  LOCKSTEP_CHECK(!elements.empty());
  const std::vector<const Tensor*> leaves = Leaves(operation, elements);
  const size_t components = leaves.size() / elements.size();
  std::vector<const Tensor*> column(elements.size());
  size_t component = 0;
  return elements.front().Map<Tensor>([&](const Tensor&) {
    for (size_t i = 0; i < elements.size(); ++i) {
      column[i] = leaves[i * components + component];
    }
    return StackLeaves(operation, component++, column);
  });
}

}  // namespace lockstep::data_internal
