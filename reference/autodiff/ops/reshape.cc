#include "reference/autodiff/ops/reshape.h"

#include "reference/autodiff/gradient_tape.h"
#include "reference/base/error.h"

namespace lockstep::ops {

Tensor Reshape(const Tensor& x, const Shape& shape) {
  Tensor y = x.Reshape(shape);
  RecordOperation(
      {x}, y, [x_shape = x.shape()](const Tensor& dy, std::span<const bool>) {
        return Gradients{dy.Reshape(x_shape)};
      });
  return y;
}

Tensor Flatten(const Tensor& x) {
  if (x.rank() == 0) {
    throw InvalidArgument("[Flatten] rank 1 at least is needed, got {}",
                          Describe(x));
  }
  return Reshape(x, Shape{x.dim(0), x.shape().Tail().num_elements()});
}

Tensor Cast(const Tensor& x, DType dtype) {
  if (x.dtype() == dtype) return x;
  Tensor y = x.Cast(dtype);
  RecordOperation({x}, y,
                  [from = x.dtype()](const Tensor& dy, std::span<const bool>) {
                    return Gradients{dy.Cast(from)};
                  });
  return y;
}

Tensor StopGradient(const Tensor& x) { return x.WithNewId(); }

}  // namespace lockstep::ops
