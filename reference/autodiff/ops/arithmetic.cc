#include "reference/autodiff/ops/arithmetic.h"

#include "reference/autodiff/gradient_tape.h"
#include "reference/kernels/binary.h"
#include "reference/kernels/scale.h"
#include "reference/kernels/sum_to_shape.h"
#include "reference/kernels/unary.h"

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

Tensor Scale(const Tensor& x, double factor) {
  Tensor scaled = kernels::Scale(x, factor);
  RecordOperation({x}, scaled,
                  [factor](const Tensor& dy, std::span<const bool>) {
                    return Gradients{kernels::Scale(dy, factor)};
                  });
  return scaled;
}

}  // namespace lockstep::ops
