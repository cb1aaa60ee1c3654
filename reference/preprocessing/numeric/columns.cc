#include "reference/preprocessing/numeric/columns.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "reference/tensor/host_tensor.h"

namespace lockstep::preprocessing_internal {
namespace {

// Copies the elements of x in the order in which the last of `order` changes
// fastest.
template <typename T>
void CopyInOrder(const Tensor& x, std::span<const int> order, T* to) {
  std::vector<int64_t> strides(x.rank(), 1), index(x.rank(), 0);
  for (int axis = x.rank() - 2; axis >= 0; --axis) {
    strides[axis] = strides[axis + 1] * x.dim(axis + 1);
  }
  const T* from = x.data<T>();
  int64_t offset = 0;
  for (int64_t i = 0; i < x.num_elements(); ++i) {
    to[i] = from[offset];
    for (size_t k = order.size(); k-- > 0;) {
      const int axis = order[k];
      offset += strides[axis];
      if (++index[axis] < x.dim(axis)) break;
      offset -= strides[axis] * x.dim(axis);
      index[axis] = 0;
    }
  }
}

}  // namespace

Tensor ToColumns(const Tensor& x, std::span<const int> axes) {
  const bool is_float = x.dtype() == DType::kFloat32;
  const Tensor numbers = (is_float ? x : x.Cast(DType::kFloat64)).ToHost();
  std::vector<int> order;
  int64_t columns = 1;
  for (int axis = 0; axis < x.rank(); ++axis) {
    if (!std::ranges::count(axes, axis)) order.push_back(axis);
  }
  order.insert(order.end(), axes.begin(), axes.end());
  for (const int axis : axes) columns *= x.dim(axis);
  const Shape shape{x.num_elements() / columns, columns};
  if (std::ranges::is_sorted(order)) return numbers.Reshape(shape);
  Tensor ordered = EmptyOnHost(shape, numbers.dtype());
  if (is_float) {
    CopyInOrder(numbers, order, ordered.mutable_data<float>());
  } else {
    CopyInOrder(numbers, order, ordered.mutable_data<double>());
  }
  return ordered;
}

}  // namespace lockstep::preprocessing_internal
