#include "reference/autodiff/slot_gradients.h"

#include <functional>
#include <utility>

#include "reference/autodiff/update_in_place.h"
#include "reference/base/error.h"

namespace lockstep::autodiff_internal {
namespace {

void Accumulate(std::optional<Tensor>& sum, Tensor part) {
  if (!sum) {
    sum = std::move(part);
    return;
  }
  if (sum->dtype() != part.dtype() || sum->shape() != part.shape()) {
    throw Internal("[Gradient] a tensor's gradients differ: {} and {}",
                   Describe(*sum), Describe(part));
  }
  if (!sum->unique()) sum = sum->Clone(sum->device());
  UpdateInPlace("Gradient", *sum, part, std::plus<>());
}

}  // namespace

Tensor OnesLike(const Tensor& tensor) {
  return VisitDType(tensor.dtype(), [&]<typename T>() -> Tensor {
    if constexpr (kIsFloat<T>) {
      return Tensor::Full(tensor.shape(), T{1}, tensor.device());
    } else {
      throw InvalidArgument("[Gradient] the target must be floating, got {}",
                            Describe(tensor));
    }
  });
}

void SlotGradients::Add(int slot, Tensor part) {
  Accumulate(dense_[slot], std::move(part));
}

std::optional<VariableGradient> SlotGradients::Sum(
    const std::vector<int>& slots) const {
  std::optional<Tensor> sum;
  std::vector<IndexedSlices> rows;
  for (const int slot : slots) {
    if (dense_[slot]) Accumulate(sum, *dense_[slot]);
    const auto found = rows_.find(slot);
    if (found == rows_.end()) continue;
    rows.insert(rows.end(), found->second.begin(), found->second.end());
  }
  if (rows.empty()) return sum;
  const IndexedSlices joined = Joined(rows);
  if (!sum) return joined;
  Accumulate(sum, joined.ToDense());
  return sum;
}

}  // namespace lockstep::autodiff_internal
