#include "reference/autodiff/indexed_slices.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

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

namespace {

// Different rows in ascending order, and the place among them of each index.
struct Places {
  std::vector<int64_t> rows;
  std::vector<int64_t> of_index;
};

// Takes time for each row of the table, but compares nothing.
Places PlacesByMarks(std::span<const int64_t> indices, int64_t table_rows) {
  std::vector<int64_t> place(table_rows, -1);
  for (const int64_t row : indices) place[row] = 0;
  Places places;
  for (int64_t row = 0; row < table_rows; ++row) {
    if (place[row] < 0) continue;
    place[row] = std::ssize(places.rows);
    places.rows.push_back(row);
  }
  places.of_index.reserve(indices.size());
  for (const int64_t row : indices) places.of_index.push_back(place[row]);
  return places;
}

Places PlacesBySorting(std::span<const int64_t> indices) {
  Places places{.rows = {indices.begin(), indices.end()}, .of_index = {}};
  std::ranges::sort(places.rows);
  places.rows.erase(std::unique(places.rows.begin(), places.rows.end()),
                    places.rows.end());
  places.of_index.reserve(indices.size());
  for (const int64_t row : indices) {
    places.of_index.push_back(std::ranges::lower_bound(places.rows, row) -
                              places.rows.begin());
  }
  return places;
}

Places PlacesOf(std::span<const int64_t> indices, int64_t table_rows) {
  // A table with more rows for each index would cost more than the sort.
  constexpr int64_t kRowsPerIndex = 16;
  return table_rows / kRowsPerIndex < std::ssize(indices)
             ? PlacesByMarks(indices, table_rows)
             : PlacesBySorting(indices);
}

}  // namespace

IndexedSlices IndexedSlices::Merged() const {
  const std::span<const int64_t> indices = indices_.span<int64_t>();
  for (const int64_t row : indices) {
    if (row >= 0 && row < dense_shape_[0]) continue;
    throw InvalidArgument("[IndexedSlices] row {} is not one of {}", row,
                          ToString(dense_shape_));
  }
  const Places places = PlacesOf(indices, dense_shape_[0]);
  const HostScope scope;
  const auto count = static_cast<int64_t>(places.rows.size());
  Tensor sums =
      kernels::GatherBackward(dense_shape_.WithDim(0, count),
                              Tensor::FromVector(places.of_index), values_);
  return {std::move(sums), Tensor::FromVector(places.rows), dense_shape_};
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
