// Matrix products on GPUs.
#include "reference/kernels/dense.h"

#include "reference/kernels/cuda/matmul.h"
#include "reference/kernels/matmul.h"

namespace lockstep::kernels {
namespace {

Tensor MatMulOnGpu(const Tensor& a, const Tensor& b, bool transpose_a,
                   bool transpose_b) {
  return cuda::Multiply(a, b, transpose_a, transpose_b, Tensor(),
                        /*relu=*/false);
}

// Its gradients are products and sums, for which it needs no slot.
Tensor DenseOnGpu(const Tensor& x, const Tensor& kernel, const Tensor& bias,
                  bool relu) {
  return cuda::Multiply(x, kernel, false, false, bias, relu);
}

const RegisterKernel kMatMul(gpu::MatMul, &MatMulOnGpu);
const RegisterKernel kDense(gpu::Dense, &DenseOnGpu);

}  // namespace
}  // namespace lockstep::kernels
