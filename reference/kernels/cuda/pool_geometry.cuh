// Where a thread of a pooling kernel is.
#ifndef LOCKSTEP_REFERENCE_KERNELS_CUDA_POOL_GEOMETRY_CUH_
#define LOCKSTEP_REFERENCE_KERNELS_CUDA_POOL_GEOMETRY_CUH_

#include <cstdint>

#include "reference/kernels/cpu/pool_shape.h"

namespace lockstep::cuda {

// PoolShape for the device: what a thread reads of it.
template <typename Number>
struct Geometry {
  Number height, width, channels, images;
  Number y_height, y_width;
  int pool_rows, pool_columns, row_stride, column_stride;
  int rows_before, columns_before;
};

template <typename Number>
Geometry<Number> MakeGeometry(const kernels_internal::PoolShape& shape,
                              int64_t images) {
  return {static_cast<Number>(shape.height),
          static_cast<Number>(shape.width),
          static_cast<Number>(shape.channels),
          static_cast<Number>(images),
          static_cast<Number>(shape.rows.count),
          static_cast<Number>(shape.columns.count),
          static_cast<int>(shape.pool[0]),
          static_cast<int>(shape.pool[1]),
          static_cast<int>(shape.strides[0]),
          static_cast<int>(shape.strides[1]),
          static_cast<int>(shape.rows.before),
          static_cast<int>(shape.columns.before)};
}

// The numbers of an element of [images, height, width, channels].
template <typename Number>
struct Position {
  Number image, row, column, channel;
};

template <typename Number>
__device__ Position<Number> PositionOf(Number element, Number height,
                                       Number width, Number channels) {
  const Number pixel = element / channels;
  const Number line = pixel / width;
  const Number image = line / height;
  return {image, line - image * height, pixel - line * width,
          element - pixel * channels};
}

// The first window that reaches `position`, and one past the last.
template <typename Number>
__device__ Number FirstWindow(Number position, int window, int stride) {
  const Number first = position - window + 1;
  return first <= 0 ? 0 : (first + stride - 1) / stride;
}
template <typename Number>
__device__ Number EndWindow(Number position, int stride, Number windows) {
  const Number end = position / stride + 1;
  return end < windows ? end : windows;
}

}  // namespace lockstep::cuda

#endif  // LOCKSTEP_REFERENCE_KERNELS_CUDA_POOL_GEOMETRY_CUH_
