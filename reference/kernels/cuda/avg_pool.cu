#include <algorithm>

#include "reference/device/cuda/for_each.cuh"
#include "reference/kernels/cuda/cuda_types.cuh"
#include "reference/kernels/cuda/pool.h"
#include "reference/kernels/cuda/pool_geometry.cuh"

namespace lockstep::cuda {
namespace {

// How many of the elements first, first + 1, ... of a window are in 0 .. end - 1.
template <typename Number>
__device__ Number Inside(Number first, int window, Number end) {
  const Number from = first < 0 ? 0 : first;
  const Number to = first + window < end ? first + window : end;
  return to - from;
}

template <typename T, typename Number>
__global__ void AvgPoolKernel(Geometry<Number> g, const T* x, T* y) {
  const Number count = g.images * g.y_height * g.y_width * g.channels;
  for (auto i = FirstElement<Number>(); i < count; i += ElementStep<Number>()) {
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
  for (auto i = FirstElement<Number>(); i < count; i += ElementStep<Number>()) {
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

}  // namespace lockstep::cuda
