#include <algorithm>
#include <cstdint>

#include "reference/base/check.h"
#include "reference/device/cuda/for_each.cuh"
#include "reference/kernels/cuda/cuda_types.cuh"
#include "reference/kernels/pooling/cuda/pool2d_launch.h"
#include "reference/kernels/windows.h"

namespace lockstep::cuda {

// The part of PoolShape that a thread reads.
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

// The position of an element in [images, height, width, channels].
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

// The range of windows that contain `position`.
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

namespace {

// The part of a window's elements first, first + 1, ... that is in 0 .. end -
// 1.
template <typename Number>
__device__ Number Inside(Number first, int window, Number end) {
  const Number from = first < 0 ? 0 : first;
  const Number to = first + window < end ? first + window : end;
  return to - from;
}

template <typename T, typename Number>
__global__ void AvgPoolKernel(Geometry<Number> g, const T* x, T* y) {
  const Number count = g.images * g.y_height * g.y_width * g.channels;
  for (auto i = FirstElement<Number>(); i < count; i += GridStride<Number>()) {
    const Position<Number> at =
        PositionOf(i, g.y_height, g.y_width, g.channels);
    const Number top = at.row * g.row_stride - g.rows_before;
    const Number left = at.column * g.column_stride - g.columns_before;
    const Number rows = Inside(top, g.pool_rows, g.height);
    const Number columns = Inside(left, g.pool_columns, g.width);
    const Number first_row = top < 0 ? 0 : top;
    const Number first_column = left < 0 ? 0 : left;
    float sum = 0;
    for (Number r = first_row; r < first_row + rows; ++r) {
      for (Number c = first_column; c < first_column + columns; ++c) {
        const Number pixel = (at.image * g.height + r) * g.width + c;
        sum += Widen(x[pixel * g.channels + at.channel]);
      }
    }
    y[i] = static_cast<T>(sum / static_cast<float>(rows * columns));
  }
}

template <typename T, typename Number>
__global__ void AvgPoolBackwardKernel(Geometry<Number> g, const T* dy, T* dx) {
  const Number count = g.images * g.height * g.width * g.channels;
  for (auto i = FirstElement<Number>(); i < count; i += GridStride<Number>()) {
    const Position<Number> at = PositionOf(i, g.height, g.width, g.channels);
    const Number row = at.row + g.rows_before;  // counted from the padding
    const Number column = at.column + g.columns_before;
    const Number row_end = EndWindow(row, g.row_stride, g.y_height);
    const Number column_end = EndWindow(column, g.column_stride, g.y_width);
    float sum = 0;
    for (Number r = FirstWindow(row, g.pool_rows, g.row_stride); r < row_end;
         ++r) {
      const Number rows =
          Inside(r * g.row_stride - g.rows_before, g.pool_rows, g.height);
      for (Number c = FirstWindow(column, g.pool_columns, g.column_stride);
           c < column_end; ++c) {
        const Number columns = Inside(c * g.column_stride - g.columns_before,
                                      g.pool_columns, g.width);
        const Number window =
            ((at.image * g.y_height + r) * g.y_width + c) * g.channels +
            at.channel;
        sum += Widen(dy[window]) / static_cast<float>(rows * columns);
      }
    }
    dx[i] = static_cast<T>(sum);
  }
}

}  // namespace

cudaError_t AvgPool(cudaStream_t stream, DType dtype,
                    const kernels_internal::PoolShape& shape, int64_t images,
                    const void* x, void* y) {
  const int64_t count = images * shape.y_image();
  if (count == 0) return cudaSuccess;
  cudaError_t status = cudaSuccess;
  VisitUpToFloat32(dtype, [&]<typename T>() {
    VisitNumber(std::max(count, images * shape.x_image()),
                [&]<typename Number>() {
                  status = Launch(AvgPoolKernel<T, Number>, BlocksFor(count),
                                  stream, MakeGeometry<Number>(shape, images),
                                  static_cast<const T*>(x), static_cast<T*>(y));
                });
  });
  return status;
}

cudaError_t AvgPoolBackward(cudaStream_t stream, DType dtype,
                            const kernels_internal::PoolShape& shape,
                            int64_t images, const void* dy, void* dx) {
  const int64_t count = images * shape.x_image();
  if (count == 0) return cudaSuccess;
  cudaError_t status = cudaSuccess;
  VisitUpToFloat32(dtype, [&]<typename T>() {
    VisitNumber(
        std::max(count, images * shape.y_image()), [&]<typename Number>() {
          status = Launch(AvgPoolBackwardKernel<T, Number>, BlocksFor(count),
                          stream, MakeGeometry<Number>(shape, images),
                          static_cast<const T*>(dy), static_cast<T*>(dx));
        });
  });
  return status;
}

namespace {

template <typename T, typename Index, typename Number>
__global__ void MaxPoolKernel(Geometry<Number> g, bool relu, const T* x, T* y,
                              Index* winners) {
  const Number count = g.images * g.y_height * g.y_width * g.channels;
  for (auto i = FirstElement<Number>(); i < count; i += GridStride<Number>()) {
    const Position<Number> at =
        PositionOf(i, g.y_height, g.y_width, g.channels);
    const Number top = at.row * g.row_stride - g.rows_before;
    const Number left = at.column * g.column_stride - g.columns_before;
    Compute<T> best = 0;
    int winner = -1;
    for (int r = 0; r < g.pool_rows; ++r) {
      if (top + r < 0 || top + r >= g.height) continue;
      for (int c = 0; c < g.pool_columns; ++c) {
        if (left + c < 0 || left + c >= g.width) continue;
        const Number pixel =
            (at.image * g.height + top + r) * g.width + left + c;
        const Compute<T> value = Widen(x[pixel * g.channels + at.channel]);
        // Also true for the first NaN.
        const bool wins = winner < 0 || (!(value <= best) && best == best);
        if (!wins) continue;
        best = value;
        winner = r * g.pool_columns + c;
      }
    }
    if (relu && !(best > 0)) winner = kernels::kReluCut;
    if (relu && best <= 0) best = 0;
    y[i] = static_cast<T>(best);
    winners[i] = static_cast<Index>(winner);
  }
}

template <typename T, typename Index, typename Number>
__global__ void MaxPoolBackwardKernel(Geometry<Number> g, const T* dy,
                                      const Index* winners, T* dx) {
  const Number count = g.images * g.height * g.width * g.channels;
  for (auto i = FirstElement<Number>(); i < count; i += GridStride<Number>()) {
    const Position<Number> at = PositionOf(i, g.height, g.width, g.channels);
    const Number row = at.row + g.rows_before;  // counted from the padding
    const Number column = at.column + g.columns_before;
    const Number row_end = EndWindow(row, g.row_stride, g.y_height);
    const Number column_end = EndWindow(column, g.column_stride, g.y_width);
    Compute<T> sum = 0;
    for (Number r = FirstWindow(row, g.pool_rows, g.row_stride); r < row_end;
         ++r) {
      for (Number c = FirstWindow(column, g.pool_columns, g.column_stride);
           c < column_end; ++c) {
        const Number window =
            ((at.image * g.y_height + r) * g.y_width + c) * g.channels +
            at.channel;
        const Number mine = (row - r * g.row_stride) * g.pool_columns + column -
                            c * g.column_stride;
        if (static_cast<Number>(winners[window]) == mine) {
          sum += Widen(dy[window]);
        }
      }
    }
    dx[i] = static_cast<T>(sum);
  }
}

template <class Body>
void VisitWinner(DType winner_type, const Body& body) {
  if (winner_type == DType::kUInt8) return body.template operator()<uint8_t>();
  LOCKSTEP_CHECK(winner_type == DType::kInt32);
  body.template operator()<int32_t>();
}

}  // namespace

cudaError_t MaxPool(cudaStream_t stream, DType dtype, DType winner_type,
                    const kernels_internal::PoolShape& shape, int64_t images,
                    bool relu, const void* x, void* y, void* winners) {
  const int64_t count = images * shape.y_image();
  if (count == 0) return cudaSuccess;
  cudaError_t status = cudaSuccess;
  VisitUpToFloat32(dtype, [&]<typename T>() {
    VisitWinner(winner_type, [&]<typename Index>() {
      VisitNumber(
          std::max(count, images * shape.x_image()), [&]<typename Number>() {
            status = Launch(MaxPoolKernel<T, Index, Number>, BlocksFor(count),
                            stream, MakeGeometry<Number>(shape, images), relu,
                            static_cast<const T*>(x), static_cast<T*>(y),
                            static_cast<Index*>(winners));
          });
    });
  });
  return status;
}

cudaError_t MaxPoolBackward(cudaStream_t stream, DType dtype, DType winner_type,
                            const kernels_internal::PoolShape& shape,
                            int64_t images, const void* dy, const void* winners,
                            void* dx) {
  const int64_t count = images * shape.x_image();
  if (count == 0) return cudaSuccess;
  cudaError_t status = cudaSuccess;
  VisitUpToFloat32(dtype, [&]<typename T>() {
    VisitWinner(winner_type, [&]<typename Index>() {
      VisitNumber(
          std::max(count, images * shape.y_image()), [&]<typename Number>() {
            status = Launch(
                MaxPoolBackwardKernel<T, Index, Number>, BlocksFor(count),
                stream, MakeGeometry<Number>(shape, images),
                static_cast<const T*>(dy), static_cast<const Index*>(winners),
                static_cast<T*>(dx));
          });
    });
  });
  return status;
}

}  // namespace lockstep::cuda
