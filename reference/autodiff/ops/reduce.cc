#include "reference/autodiff/ops/reduce.h"

#include <utility>
#include <vector>

#include "reference/autodiff/gradient_tape.h"
#include "reference/kernels/broadcast_to.h"
#include "reference/kernels/reduce.h"
#include "reference/kernels/scale.h"

namespace lockstep::ops {
namespace {

std::vector<int> AllAxes(const Tensor& x) {
  std::vector<int> axes;
  for (int axis = 0; axis < x.rank(); ++axis) axes.push_back(axis);
  return axes;
}

// The shape with every summed axis kept as 1. REQUIRES: axes in range.
Shape WithOnes(Shape shape, std::span<const int> axes) {
  for (const int axis : axes) {
    shape = shape.WithDim(axis < 0 ? axis + shape.rank() : axis, 1);
  }
  return shape;
}

// Records y, the sum of x over `axes` times `factor`.
Tensor Recorded(const Tensor& x, std::span<const int> axes, double factor,
                Tensor y) {
  RecordOperation({x}, y,
                  [x_shape = x.shape(), kept = WithOnes(x.shape(), axes),
                   factor](const Tensor& dy, std::span<const bool>) {
                    Tensor part = dy.Reshape(kept);
                    if (factor != 1) part = kernels::Scale(part, factor);
                    return Gradients{kernels::BroadcastTo(part, x_shape)};
                  });
  return y;
}

}  // namespace

Tensor ReduceSum(const Tensor& x) { return ReduceSum(x, AllAxes(x)); }

Tensor ReduceMean(const Tensor& x) { return ReduceMean(x, AllAxes(x)); }

Tensor ReduceSum(const Tensor& x, std::span<const int> axes, bool keepdims) {
  return Recorded(x, axes, 1, kernels::ReduceSum(x, axes, keepdims));
}

Tensor ReduceMean(const Tensor& x, std::span<const int> axes, bool keepdims) {
  Tensor mean = kernels::ReduceMean(x, axes, keepdims);
  const double count = x.num_elements() == 0
                           ? 1
                           : static_cast<double>(x.num_elements()) /
                                 static_cast<double>(mean.num_elements());
  return Recorded(x, axes, 1 / count, std::move(mean));
}

}  // namespace lockstep::ops
