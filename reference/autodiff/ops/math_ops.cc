#include "reference/autodiff/ops/math_ops.h"

#include <cmath>
#include <utility>
#include <vector>

#include "reference/autodiff/gradient_tape.h"
#include "reference/base/error.h"
#include "reference/kernels/elementwise/binary.h"
#include "reference/kernels/elementwise/unary.h"
#include "reference/kernels/reduction/reduce.h"

namespace lockstep::ops {

using kernels::SumToShape;

Tensor Add(const Tensor& a, const Tensor& b) {
  Tensor sum = kernels::Add(a, b);
  RecordOperation({a, b}, sum,
                  [a_shape = a.shape(), b_shape = b.shape()](
                      const Tensor& dy, std::span<const bool> needed) {
                    Gradients d(2);
                    if (needed[0]) d[0] = SumToShape(dy, a_shape);
                    if (needed[1]) d[1] = SumToShape(dy, b_shape);
                    return d;
                  });
  return sum;
}

Tensor Subtract(const Tensor& a, const Tensor& b) {
  Tensor difference = kernels::Subtract(a, b);
  RecordOperation({a, b}, difference,
                  [a_shape = a.shape(), b_shape = b.shape()](
                      const Tensor& dy, std::span<const bool> needed) {
                    Gradients d(2);
                    if (needed[0]) d[0] = SumToShape(dy, a_shape);
                    if (needed[1])
                      d[1] = kernels::Negate(SumToShape(dy, b_shape));
                    return d;
                  });
  return difference;
}

Tensor Multiply(const Tensor& a, const Tensor& b) {
  Tensor product = kernels::Multiply(a, b);
  RecordOperation({a, b}, product,
                  [a, b](const Tensor& dy, std::span<const bool> needed) {
                    Gradients d(2);
                    if (needed[0])
                      d[0] = SumToShape(kernels::Multiply(dy, b), a.shape());
                    if (needed[1])
                      d[1] = SumToShape(kernels::Multiply(dy, a), b.shape());
                    return d;
                  });
  return product;
}

Tensor Divide(const Tensor& a, const Tensor& b) {
  Tensor quotient = kernels::Divide(a, b);
  RecordOperation({a, b}, quotient,
                  [a_shape = a.shape(), b, quotient](
                      const Tensor& dy, std::span<const bool> needed) {
                    Gradients d(2);
                    const Tensor by_b = kernels::Divide(dy, b);
                    if (needed[0]) d[0] = SumToShape(by_b, a_shape);
                    if (needed[1]) {
                      d[1] = kernels::Negate(SumToShape(
                          kernels::Multiply(by_b, quotient), b.shape()));
                    }
                    return d;
                  });
  return quotient;
}

Tensor DivisorOf(const Tensor& count) {
  const Tensor none = Equal(count, Scale(count, 0));
  return Add(count, none.Cast(count.dtype()));
}

Tensor Scale(const Tensor& x, double factor) {
  Tensor scaled = kernels::Scale(x, factor);
  RecordOperation({x}, scaled,
                  [factor](const Tensor& dy, std::span<const bool>) {
                    return Gradients{kernels::Scale(dy, factor)};
                  });
  return scaled;
}

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

Tensor Equal(const Tensor& a, const Tensor& b) { return kernels::Equal(a, b); }

Tensor ArgMax(const Tensor& x, int axis) { return kernels::ArgMax(x, axis); }

}  // namespace lockstep::ops

namespace lockstep {
namespace {

// A scalar of x's type. An undefined x is left for the operation to refuse.
Tensor NumberLike(const Tensor& x, double number) {
  if (!x.defined()) return x;
  if (!IsFloating(x.dtype()) && number != std::trunc(number)) {
    throw InvalidArgument("[Tensor] {} is no number to compute with {}", number,
                          Describe(x));
  }
  return Tensor::Full(Shape{}, number, x.device()).Cast(x.dtype());
}

}  // namespace

Tensor operator+(const Tensor& x, double number) {
  return x + NumberLike(x, number);
}

Tensor operator-(const Tensor& x, double number) {
  return x - NumberLike(x, number);
}

Tensor operator*(const Tensor& x, double number) {
  const bool scales = x.defined() && IsFloating(x.dtype());
  return scales ? ops::Scale(x, number) : x * NumberLike(x, number);
}

Tensor operator/(const Tensor& x, double number) {
  return x / NumberLike(x, number);
}

Tensor operator+(double number, const Tensor& x) { return x + number; }

Tensor operator-(double number, const Tensor& x) {
  return NumberLike(x, number) - x;
}

Tensor operator*(double number, const Tensor& x) { return x * number; }

Tensor operator/(double number, const Tensor& x) {
  return NumberLike(x, number) / x;
}

}  // namespace lockstep
