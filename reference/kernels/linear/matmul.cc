#include "reference/kernels/linear/matmul.h"

#include <cstdint>

#include "reference/base/error.h"
#include "reference/base/threads.h"
#include "reference/kernels/check_tensor.h"
#include "reference/kernels/cpu/onednn_engine.h"
#include "reference/kernels/device_kernel.h"
#include "reference/kernels/dtype_dispatch.h"
#include "reference/kernels/elementwise/binary.h"
#include "reference/kernels/elementwise/unary.h"
#include "reference/kernels/linear/gemm.h"
#include "reference/kernels/reduction/reduce.h"
#include "reference/tensor/host_tensor.h"
#include "reference/tensor/narrow_float.h"

namespace lockstep::kernels {
namespace {

struct Factor {
  const Tensor& matrix;
  bool transpose;

  int64_t rows() const { return matrix.dim(transpose ? 1 : 0); }
  int64_t columns() const { return matrix.dim(transpose ? 0 : 1); }
  const char* suffix() const { return transpose ? " transposed" : ""; }
};

void CheckChained(const Factor& a, const Factor& b) {
  kernels_internal::CheckDType("MatMul", "b", b.matrix, a.matrix.dtype());
  kernels_internal::CheckRank("MatMul", "a", a.matrix, 2);
  kernels_internal::CheckRank("MatMul", "b", b.matrix, 2);
  if (b.rows() != a.columns()) {
    throw InvalidArgument("[MatMul] {}{} and {}{} do not chain",
                          Describe(a.matrix), a.suffix(), Describe(b.matrix),
                          b.suffix());
  }
}

// The product of elements T, summed as Sum.
template <typename T, typename Sum>
Tensor Product(const Factor& a, const Factor& b) {
  const int64_t m = a.rows(), k = a.columns(), n = b.columns();
  if (k == 0) return ZerosOnHost(Shape{m, n}, kDTypeOf<Sum>);
  Tensor c = EmptyOnHost(Shape{m, n}, kDTypeOf<Sum>);
  if (n == 0) return c;
  const int64_t grain = 65536 / (n * k) + 1;  // rows worth waking a thread for
  const int64_t stride = a.matrix.dim(1);
  Sum* out = c.mutable_data<Sum>();
  ParallelFor(m, grain, [&](int64_t begin, int64_t end, int) {
    const T* first =
        a.matrix.data<T>() + (a.transpose ? begin : begin * stride);
    kernels_internal::Gemm(end - begin, n, k, {first, stride, a.transpose},
                           {b.matrix.data<T>(), b.matrix.dim(1), b.transpose},
                           out + begin * n, n, /*accumulate=*/false);
  });
  return c;
}

}  // namespace

Tensor MatMul(const Tensor& a, const Tensor& b, bool transpose_a,
              bool transpose_b) {
  const bool on_gpu = a.defined() && OnGpu("MatMul", a, b);
  if (IsNarrowFloat(a.dtype()) && !on_gpu) {
    return MatMulAsFloat32(a, b, transpose_a, transpose_b).Cast(a.dtype());
  }
  const Factor left{a, transpose_a}, right{b, transpose_b};
  if (!on_gpu || !IsNarrowFloat(a.dtype())) {
    kernels_internal::CheckFloating("MatMul", "a", a);
  }
  CheckChained(left, right);
  if (on_gpu) return gpu::MatMul(a, b, transpose_a, transpose_b);
  Tensor c;
  kernels_internal::VisitFloating(
      a.dtype(), [&]<typename T>() { c = Product<T, T>(left, right); });
  return c;
}

Tensor MatMulAsFloat32(const Tensor& a, const Tensor& b, bool transpose_a,
                       bool transpose_b) {
  const Factor left{a, transpose_a}, right{b, transpose_b};
  CheckChained(left, right);
  if (a.dtype() == DType::kBFloat16 && kernels_internal::MultipliesBFloat16()) {
    return Product<BFloat16, float>(left, right);
  }
  return MatMul(a.Cast(DType::kFloat32), b.Cast(DType::kFloat32), transpose_a,
                transpose_b);
}

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
  OnGpu("DenseBackward", x, kernel, y, dy);  // throws for wrong arguments
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
