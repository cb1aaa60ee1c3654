// The GPU version of arg_max.h.
#include "reference/kernels/arg_max.h"

#include <type_traits>

#include "reference/device/cuda/check_cuda.h"
#include "reference/device/cuda/cuda_memory.h"
#include "reference/kernels/cuda/arg_max_launch.h"

namespace lockstep::kernels {
namespace {

Tensor ArgMaxOnGpu(const Tensor& x, int axis, const Shape& shape) {
  Tensor best = Tensor::Empty(shape, DType::kInt64, x.device());
  const auto dims = x.shape().dims();
  const int64_t outer = Shape(dims.first(axis)).num_elements();
  const int64_t inner = Shape(dims.subspan(axis + 1)).num_elements();
  VisitDType(x.dtype(), [&]<typename T>() {
    if constexpr (kIsNumber<T> && !std::is_same_v<T, bool>) {
      CheckCuda(
          cuda::ArgMax(x.data<T>(), outer, x.dim(axis), inner,
                       best.mutable_data<int64_t>(), StreamOf(x.device())),
          "[ArgMax] launch");
    }
  });
  return best;
}

const RegisterKernel arg_max(gpu::ArgMax, &ArgMaxOnGpu);

}  // namespace
}  // namespace lockstep::kernels
