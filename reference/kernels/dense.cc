#include "reference/kernels/dense.h"

#include "reference/base/thread_team.h"
#include "reference/kernels/binary.h"
#include "reference/kernels/check_tensor.h"
#include "reference/kernels/device_kernel.h"
#include "reference/kernels/matmul.h"
#include "reference/kernels/reduce.h"
#include "reference/kernels/relu.h"

namespace lockstep::kernels {
namespace {

void CheckArguments(const Tensor& x, const Tensor& kernel) {
  if (!IsNarrowFloat(x.dtype())) {
    kernels_internal::CheckUpToFloat32("Dense", "x", x);
  }
  kernels_internal::CheckRank("Dense", "x", x, 2);
  kernels_internal::CheckDType("Dense", "kernel", kernel, x.dtype());
  kernels_internal::CheckShape("Dense", "kernel", kernel,
                               Shape{x.dim(1), kUnknownDim});
}

}  // namespace

Tensor Dense(const Tensor& x, const Tensor& kernel, const Tensor& bias,
             bool relu) {
  const bool on_gpu = x.defined() && OnGpu("Dense", x, kernel, bias);
  CheckArguments(x, kernel);
  if (bias.defined()) {
    kernels_internal::CheckDType("Dense", "bias", bias, x.dtype());
    kernels_internal::CheckShape("Dense", "bias", bias, Shape{kernel.dim(1)});
  }
  if (on_gpu) return gpu::Dense(x, kernel, bias, relu);
  Tensor y = MatMulAsFloat32(x, kernel);
  if (bias.defined()) y = Add(y, bias.Cast(DType::kFloat32));
  return (relu ? Relu(y) : y).Cast(x.dtype());
}

DenseGradients DenseBackward(const Tensor& x, const Tensor& kernel,
                             const Tensor& y, const Tensor& dy, bool relu,
                             bool need_x) {
  CheckArguments(x, kernel);
  OnGpu("DenseBackward", x, kernel, y, dy);  // for its error
  kernels_internal::CheckDType("DenseBackward", "dy", dy, x.dtype());
  kernels_internal::CheckShape("DenseBackward", "dy", dy,
                               Shape{x.dim(0), kernel.dim(1)});
  const Tensor masked = relu ? ReluBackward(y, dy) : dy;
  constexpr int kRows[] = {0};
  DenseGradients gradients;
  gradients.kernel = MatMul(x, masked, /*transpose_a=*/true);
  gradients.bias = ReduceSum(masked, kRows);
  if (need_x) gradients.x = MatMul(masked, kernel, false, /*transpose_b=*/true);
  return gradients;
}

}  // namespace lockstep::kernels
