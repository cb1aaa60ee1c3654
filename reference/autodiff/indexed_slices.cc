#include "reference/autodiff/indexed_slices.h"

#include <algorithm>
#include <utility>

#include "reference/base/error.h"
#include "reference/kernels/movement/movement.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep {

IndexedSlices::IndexedSlices(Tensor values, Tensor indices, Shape dense_shape)
    : values_(std::move(values)),
      indices_(std::move(indices)),
      dense_shape_(std::move(dense_shape)) {
  const bool fits =
      indices_.dtype() == DType::kInt64 && indices_.rank() == 1 &&
      dense_shape_.rank() >= 1 &&
      values_.shape() == dense_shape_.Tail().Prepend(indices_.dim(0));
  if (!fits) {
    throw InvalidArgument(
        "[IndexedSlices] values {} and indices {} are no rows of {}",
        Describe(values_), Describe(indices_), ToString(dense_shape_));
  }
}

IndexedSlices IndexedSlices::Merged() const {
  std::vector<int64_t> rows = indices_.ToVector<int64_t>();
  std::ranges::sort(rows);
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  std::vector<int64_t> places;
  places.reserve(indices_.num_elements());
  for (const int64_t row : indices_.span<int64_t>()) {
    places.push_back(std::ranges::lower_bound(rows, row) - rows.begin());
  }
  const HostScope scope;
  const auto count = static_cast<int64_t>(rows.size());
  Tensor sums = kernels::GatherBackward(dense_shape_.WithDim(0, count),
                                        Tensor::FromVector(places), values_);
  return {std::move(sums), Tensor::FromVector(rows), dense_shape_};
}

Tensor IndexedSlices::ToDense() const {
  return kernels::GatherBackward(dense_shape_, indices_, values_);
}

IndexedSlices Joined(const std::vector<IndexedSlices>& parts) {
  if (parts.size() == 1) return parts[0];
  std::vector<Tensor> values, indices;
  for (const IndexedSlices& part : parts) {
    values.push_back(part.values());
    indices.push_back(part.indices());
  }
  return {kernels::Concat(values, 0), kernels::Concat(indices, 0),
          parts[0].dense_shape()};
}

}  // namespace lockstep
