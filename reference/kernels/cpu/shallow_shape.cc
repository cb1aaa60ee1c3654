#include <algorithm>

#include "reference/kernels/cpu/shallow.h"

namespace lockstep::kernels_internal {

bool ShallowFits(const ConvolutionShape& convolution, const PoolShape& pool) {
  constexpr std::array<int64_t, 2> kTwo{2, 2};
  constexpr int64_t kVector = 16;  // the most lanes
  return pool.pool == kTwo && pool.strides == kTwo &&
         pool.rows.count * 2 <= pool.height &&
         pool.columns.count * 2 <= pool.width &&
         convolution.filter_size() <= kMostTaps * convolution.outputs &&
         convolution.outputs % kVector == 0;
}

ShallowShape::ShallowShape(const ConvolutionShape& convolution,
                           const PoolShape& pool)
    : height(convolution.height),
      width(convolution.width),
      inputs(convolution.inputs),
      outputs(convolution.outputs),
      rows(pool.rows.count),
      columns(pool.columns.count),
      before_rows(convolution.rows.before),
      before_columns(convolution.columns.before),
      padded_height(height + before_rows + convolution.rows.after),
      padded_row((width + before_columns + convolution.columns.after) * inputs),
      next_row(convolution.strides[0] * padded_row),
      next_column(convolution.strides[1] * inputs),
      taps(0),
      tap{} {
  for (int64_t p = 0; p < convolution.filter_rows; ++p) {
    for (int64_t i = 0; i < convolution.filter_columns * inputs; ++i) {
      tap[taps++] = p * padded_row + i;
    }
  }
}

void ShallowPad(const ShallowShape& shape, const float* x, float* padded) {
  std::fill_n(padded, shape.image_size(), 0.0f);
  const int64_t row = shape.width * shape.inputs;
  float* to = padded + shape.before_rows * shape.padded_row +
              shape.before_columns * shape.inputs;
  for (int64_t i = 0; i < shape.height; ++i) {
    std::copy_n(x + i * row, row, to + i * shape.padded_row);
  }
}

}  // namespace lockstep::kernels_internal
