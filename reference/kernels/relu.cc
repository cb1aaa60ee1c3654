#include "reference/kernels/relu.h"

#include "reference/base/thread_team.h"
#include "reference/kernels/check_tensor.h"
#include "reference/kernels/cpu/unary.h"
#include "reference/kernels/device_kernel.h"
#include "reference/kernels/in_float32.h"
#include "reference/kernels/visit_arithmetic.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::kernels {
namespace {

constexpr int64_t kGrain = 16384;  // elements worth waking a thread for

}  // namespace

Tensor Relu(const Tensor& x) {
  if (IsNarrowFloat(x.dtype())) {
    return kernels_internal::InFloat32("Relu", x, Relu, x);
  }
  kernels_internal::CheckFloating("Relu", "x", x);
  if (OnGpu("Relu", x)) return gpu::Relu(x);
  Tensor y = EmptyOnHost(x.shape(), x.dtype());
  kernels_internal::VisitFloating(x.dtype(), [&]<typename T>() {
    const T* from = x.data<T>();
    T* to = y.mutable_data<T>();
    ParallelFor(x.num_elements(), kGrain, [&](int64_t begin, int64_t end, int) {
      kernels_internal::UnaryLoop(kernels_internal::UnaryOp::kRelu,
                                  from + begin, to + begin, end - begin);
    });
  });
  return y;
}

Tensor ReluBackward(const Tensor& y, const Tensor& dy) {
  if (IsNarrowFloat(y.dtype())) {
    return kernels_internal::InFloat32("ReluBackward", y, ReluBackward, y, dy);
  }
  kernels_internal::CheckFloating("ReluBackward", "y", y);
  kernels_internal::CheckAlike("ReluBackward", y, dy);
  if (OnGpu("ReluBackward", y, dy)) return gpu::ReluBackward(y, dy);
  Tensor dx = EmptyOnHost(y.shape(), y.dtype());
  kernels_internal::VisitFloating(y.dtype(), [&]<typename T>() {
    const T* mask = y.data<T>();
    const T* from = dy.data<T>();
    T* to = dx.mutable_data<T>();
    ParallelFor(y.num_elements(), kGrain, [&](int64_t begin, int64_t end, int) {
      kernels_internal::ReluBackwardLoop(mask + begin, from + begin, to + begin,
                                         end - begin);
    });
  });
  return dx;
}

}  // namespace lockstep::kernels
