#include "reference/autodiff/ops/unary.h"

#include <utility>

#include "reference/autodiff/gradient_tape.h"
#include "reference/kernels/binary.h"
#include "reference/kernels/clip.h"
#include "reference/kernels/relu.h"
#include "reference/kernels/scale.h"
#include "reference/kernels/unary.h"

namespace lockstep::ops {
namespace {

// Records y = f(x) whose gradient is `derivative(dy)`.
template <typename Derivative>
Tensor Recorded(const Tensor& x, Tensor y, Derivative derivative) {
  RecordOperation({x}, y,
                  [derivative = std::move(derivative)](const Tensor& dy,
                                                       std::span<const bool>) {
                    return Gradients{derivative(dy)};
                  });
  return y;
}

}  // namespace

Tensor Negate(const Tensor& x) {
  return Recorded(x, kernels::Negate(x),
                  [](const Tensor& dy) { return kernels::Negate(dy); });
}

Tensor Abs(const Tensor& x) {
  return Recorded(x, kernels::Abs(x), [x](const Tensor& dy) {
    return kernels::Multiply(dy, kernels::Sign(x));
  });
}

Tensor Square(const Tensor& x) {
  return Recorded(x, kernels::Square(x), [x](const Tensor& dy) {
    return kernels::Scale(kernels::Multiply(dy, x), 2);
  });
}

Tensor Sqrt(const Tensor& x) {
  const Tensor y = kernels::Sqrt(x);
  return Recorded(x, y, [y](const Tensor& dy) {
    return kernels::Scale(kernels::Divide(dy, y), 0.5);
  });
}

Tensor Exp(const Tensor& x) {
  const Tensor y = kernels::Exp(x);
  return Recorded(x, y,
                  [y](const Tensor& dy) { return kernels::Multiply(dy, y); });
}

Tensor Log(const Tensor& x) {
  return Recorded(x, kernels::Log(x),
                  [x](const Tensor& dy) { return kernels::Divide(dy, x); });
}

Tensor Sigmoid(const Tensor& x) {
  const Tensor y = kernels::Sigmoid(x);
  return Recorded(x, y, [y](const Tensor& dy) {  // dy y (1 - y)
    const Tensor dy_y = kernels::Multiply(dy, y);
    return kernels::Subtract(dy_y, kernels::Multiply(dy_y, y));
  });
}

Tensor Tanh(const Tensor& x) {
  const Tensor y = kernels::Tanh(x);
  return Recorded(x, y, [y](const Tensor& dy) {  // dy (1 - y^2)
    return kernels::Subtract(dy, kernels::Multiply(dy, kernels::Square(y)));
  });
}

Tensor Relu(const Tensor& x) {
  const Tensor y = kernels::Relu(x);
  return Recorded(
      x, y, [y](const Tensor& dy) { return kernels::ReluBackward(y, dy); });
}

Tensor ClipByValue(const Tensor& x, double low, double high) {
  return Recorded(x, kernels::Clip(x, low, high),
                  [x, low, high](const Tensor& dy) {
                    return kernels::ClipBackward(x, dy, low, high);
                  });
}

}  // namespace lockstep::ops
