#include "reference/kernels/matmul.h"

#include "reference/base/error.h"
#include "reference/base/thread_team.h"
#include "reference/kernels/check_tensor.h"
#include "reference/kernels/cpu/gemm.h"
#include "reference/kernels/device_kernel.h"
#include "reference/kernels/in_float32.h"
#include "reference/kernels/visit_arithmetic.h"

namespace lockstep::kernels {

Tensor MatMul(const Tensor& a, const Tensor& b, bool transpose_a,
              bool transpose_b) {
  const bool on_gpu = a.defined() && OnGpu("MatMul", a, b);
  if (IsNarrowFloat(a.dtype()) && !on_gpu) {
    return kernels_internal::InFloat32("MatMul", a, MatMul, a, b, transpose_a,
                                       transpose_b);
  }
  if (!on_gpu || !IsNarrowFloat(a.dtype())) {
    kernels_internal::CheckFloating("MatMul", "a", a);
  }
  kernels_internal::CheckDType("MatMul", "b", b, a.dtype());
  kernels_internal::CheckRank("MatMul", "a", a, 2);
  kernels_internal::CheckRank("MatMul", "b", b, 2);
  const int64_t m = a.dim(transpose_a ? 1 : 0);
  const int64_t k = a.dim(transpose_a ? 0 : 1);
  const int64_t n = b.dim(transpose_b ? 0 : 1);
  if (b.dim(transpose_b ? 1 : 0) != k) {
    throw InvalidArgument("[MatMul] {}{} and {}{} do not chain", Describe(a),
                          transpose_a ? " transposed" : "", Describe(b),
                          transpose_b ? " transposed" : "");
  }
  if (on_gpu) return gpu::MatMul(a, b, transpose_a, transpose_b);
  if (k == 0) return Tensor::Zeros(Shape{m, n}, a.dtype());
  Tensor c = Tensor::Empty(Shape{m, n}, a.dtype());
  if (n == 0) return c;
  const int64_t grain = 65536 / (n * k) + 1;  // rows worth waking a thread for
  kernels_internal::VisitFloating(a.dtype(), [&]<typename T>() {
    T* out = c.mutable_data<T>();
    ParallelFor(m, grain, [&](int64_t begin, int64_t end, int) {
      const T* first = a.data<T>() + (transpose_a ? begin : begin * a.dim(1));
      kernels_internal::Gemm(end - begin, n, k, {first, a.dim(1), transpose_a},
                             {b.data<T>(), b.dim(1), transpose_b},
                             out + begin * n, n, /*accumulate=*/false);
    });
  });
  return c;
}

}  // namespace lockstep::kernels
