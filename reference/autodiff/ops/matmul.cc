#include "reference/autodiff/ops/matmul.h"

#include <utility>

#include "reference/autodiff/gradient_tape.h"
#include "reference/kernels/dense.h"
#include "reference/kernels/matmul.h"

namespace lockstep::ops {

Tensor MatMul(const Tensor& a, const Tensor& b, bool transpose_a,
              bool transpose_b) {
  Tensor product = kernels::MatMul(a, b, transpose_a, transpose_b);
  RecordOperation({a, b}, product,
                  [a, b, transpose_a, transpose_b](
                      const Tensor& dy, std::span<const bool> needed) {
                    Gradients d(2);
                    if (needed[0]) {
                      d[0] = transpose_a
                                 ? kernels::MatMul(b, dy, transpose_b, true)
                                 : kernels::MatMul(dy, b, false, !transpose_b);
                    }
                    if (needed[1]) {
                      d[1] = transpose_b
                                 ? kernels::MatMul(dy, a, true, transpose_a)
                                 : kernels::MatMul(a, dy, !transpose_a, false);
                    }
                    return d;
                  });
  return product;
}

Tensor Dense(const Tensor& x, const Tensor& kernel, const Tensor& bias,
             bool relu) {
  Tensor y = kernels::Dense(x, kernel, bias, relu);
  RecordOperation({x, kernel, bias}, y,
                  [x, kernel, mask = relu ? y : Tensor(), relu](
                      const Tensor& dy, std::span<const bool> needed) {
                    kernels::DenseGradients d = kernels::DenseBackward(
                        x, kernel, mask, dy, relu, needed[0]);
                    Gradients result(3);
                    if (needed[0]) result[0] = std::move(d.x);
                    if (needed[1]) result[1] = std::move(d.kernel);
                    if (needed[2]) result[2] = std::move(d.bias);
                    return result;
                  });
  return y;
}

}  // namespace lockstep::ops
