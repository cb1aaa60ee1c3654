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

// The host's loops take bfloat16 as it is.
bool IsWidened(const Tensor& x) {
  return IsNarrowFloat(x.dtype()) &&
         (x.dtype() != DType::kBFloat16 || !x.on_host());
}

void CheckType(const char* operation, const char* argument, const Tensor& x) {
  if (x.dtype() == DType::kBFloat16) return;
  kernels_internal::CheckFloating(operation, argument, x);
}

}  // namespace

Tensor Relu(const Tensor& x) {
  if (IsWidened(x)) return kernels_internal::InFloat32("Relu", x, Relu, x);
  CheckType("Relu", "x", x);
  if (OnGpu("Relu", x)) return gpu::Relu(x);
  Tensor y = EmptyOnHost(x.shape(), x.dtype());
  kernels_internal::VisitFloatingOrBFloat16(x.dtype(), [&]<typename T>() {
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
  if (IsWidened(y)) {
    return kernels_internal::InFloat32("ReluBackward", y, ReluBackward, y, dy);
  }
  CheckType("ReluBackward", "y", y);
  kernels_internal::CheckAlike("ReluBackward", y, dy);
  if (OnGpu("ReluBackward", y, dy)) return gpu::ReluBackward(y, dy);
  Tensor dx = EmptyOnHost(y.shape(), y.dtype());
  kernels_internal::VisitFloatingOrBFloat16(y.dtype(), [&]<typename T>() {
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
