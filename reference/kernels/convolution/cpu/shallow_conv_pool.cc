#include <algorithm>

#include "reference/base/threads.h"
#include "reference/kernels/convolution/cpu/shallow.h"
#include "reference/kernels/convolution/cpu/thread_workspace.h"

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

void ShallowConvPool(const ShallowShape& shape, const Tensor& x,
                     const Tensor& filter, const Tensor& bias, Tensor& y,
                     Tensor& selection) {
  const int64_t x_image = shape.height * shape.width * shape.inputs;
  const int64_t y_image = shape.rows * shape.columns * shape.outputs;
  const ThreadWorkspace images(shape.image_size()), inputs(x_image),
      pooled(y_image);
  const float* w = filter.data<float>();
  const float* b = bias.defined() ? bias.data<float>() : nullptr;
  uint8_t* winners = selection.mutable_data<uint8_t>();
  ParallelFor(x.dim(0), 1, [&](int64_t begin, int64_t end, int member) {
    float* padded = images.Of(member);
    for (int64_t n = begin; n < end; ++n) {
      ShallowPad(shape, ReadFloats(x, n * x_image, x_image, inputs.Of(member)),
                 padded);
      float* to = PlaceFloats(y, n * y_image, pooled.Of(member));
      ShallowForward(shape, padded, w, b, to, winners + n * y_image);
      KeepFloats(to, y, n * y_image, y_image);
    }
  });
}

void ShallowConvPoolBackward(const ShallowShape& shape, const Tensor& x,
                             const Tensor& selection, const Tensor& dy,
                             Tensor& dfilter, Tensor& dbias) {
  const int64_t filter_size = shape.taps * shape.outputs;
  const int64_t x_image = shape.height * shape.width * shape.inputs;
  const int64_t y_image = shape.rows * shape.columns * shape.outputs;
  const ThreadWorkspace inputs(x_image), pooled(y_image);
  ThreadWorkspace images(shape.image_size());
  ThreadWorkspace quads(shape.quads_size());
  ThreadWorkspace sums(filter_size + shape.outputs);
  sums.Clear();
  const uint8_t* winners = selection.data<uint8_t>();
  ParallelFor(x.dim(0), 1, [&](int64_t begin, int64_t end, int member) {
    float* padded = images.Of(member);
    for (int64_t n = begin; n < end; ++n) {
      ShallowPad(shape, ReadFloats(x, n * x_image, x_image, inputs.Of(member)),
                 padded);
      ShallowQuads(shape, padded, quads.Of(member));
      ShallowBackward(shape, quads.Of(member),
                      ReadFloats(dy, n * y_image, y_image, pooled.Of(member)),
                      winners + n * y_image, sums.Of(member),
                      sums.Of(member) + filter_size);
    }
  });
  sums.SumInOrder();
  std::copy_n(sums.Of(0), filter_size, dfilter.mutable_data<float>());
  std::copy_n(sums.Of(0) + filter_size, shape.outputs,
              dbias.mutable_data<float>());
}

}  // namespace lockstep::kernels_internal
