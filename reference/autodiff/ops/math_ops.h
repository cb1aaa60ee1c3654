// Differentiable arithmetic, functions, sums and means, comparisons, and the
// operators for arithmetic.
//
//   Tensor loss = ops::ReduceMean(ops::Square(y - truth));
//   Tensor scaled = 2 * (images / 255 - 0.5);
#ifndef LOCKSTEP_REFERENCE_AUTODIFF_OPS_MATH_OPS_H_
#define LOCKSTEP_REFERENCE_AUTODIFF_OPS_MATH_OPS_H_

#include <span>
#include <vector>

#include "reference/tensor/tensor.h"

namespace lockstep::ops {

// Arithmetic on two tensors of one type, with numpy's broadcasting; types and
// errors as in kernels/elementwise/binary.h.
//
//   Tensor y = ops::Add(ops::Multiply(x, w), b);
Tensor Add(const Tensor& a, const Tensor& b);
Tensor Subtract(const Tensor& a, const Tensor& b);
Tensor Multiply(const Tensor& a, const Tensor& b);
// True division: integers return float64.
Tensor Divide(const Tensor& a, const Tensor& b);
// A count as a divisor: 1 instead of 0, so that the mean of no elements is 0.
//
//   ops::Divide(sum, ops::DivisorOf(count));
Tensor DivisorOf(const Tensor& count);

// Multiplies a floating tensor by a constant.
Tensor Scale(const Tensor& x, double factor);

// Elementwise functions of one tensor; types and errors as in
// kernels/elementwise/unary.h.
//
//   Tensor y = ops::Square(ops::Subtract(prediction, truth));
Tensor Negate(const Tensor& x);
Tensor Abs(const Tensor& x);  // gradient 0 at 0
Tensor Square(const Tensor& x);
Tensor Sqrt(const Tensor& x);
Tensor Exp(const Tensor& x);
Tensor Log(const Tensor& x);
Tensor Sigmoid(const Tensor& x);
Tensor Tanh(const Tensor& x);
Tensor Relu(const Tensor& x);  // gradient 0 at 0
// Gradient 1 inside the bounds and on them, 0 outside.
Tensor ClipByValue(const Tensor& x, double low, double high);

// Sums and means; types and errors as in kernels/reduction/reduce.h.
//
//   ops::ReduceMean(ops::Square(x), std::array{-1});
//
// Over all axes, to a scalar.
Tensor ReduceSum(const Tensor& x);
Tensor ReduceMean(const Tensor& x);

Tensor ReduceSum(const Tensor& x, std::span<const int> axes,
                 bool keepdims = false);
Tensor ReduceMean(const Tensor& x, std::span<const int> axes,
                  bool keepdims = false);

// Functions without a gradient; types and errors as the kernels of these names.
//
//   Tensor hits = ops::Equal(ops::ArgMax(logits, -1), labels);   // bool
Tensor Equal(const Tensor& a, const Tensor& b);
Tensor ArgMax(const Tensor& x, int axis);

}  // namespace lockstep::ops

namespace lockstep {

// The arithmetic above. A number is converted to a scalar of the tensor's type,
// on its device. Errors: InvalidArgument for a fraction with an integer tensor.
inline Tensor operator-(const Tensor& x) { return ops::Negate(x); }

inline Tensor operator+(const Tensor& a, const Tensor& b) {
  return ops::Add(a, b);
}
inline Tensor operator-(const Tensor& a, const Tensor& b) {
  return ops::Subtract(a, b);
}
inline Tensor operator*(const Tensor& a, const Tensor& b) {
  return ops::Multiply(a, b);
}
inline Tensor operator/(const Tensor& a, const Tensor& b) {
  return ops::Divide(a, b);
}

Tensor operator+(const Tensor& x, double number);
Tensor operator-(const Tensor& x, double number);
Tensor operator*(const Tensor& x, double number);
Tensor operator/(const Tensor& x, double number);
Tensor operator+(double number, const Tensor& x);
Tensor operator-(double number, const Tensor& x);
Tensor operator*(double number, const Tensor& x);
Tensor operator/(double number, const Tensor& x);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_AUTODIFF_OPS_MATH_OPS_H_
