#include "reference/kernels/arg_max.h"

#include "reference/base/error.h"
#include "reference/kernels/check_tensor.h"
#include "reference/kernels/device_kernel.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::kernels {
namespace {

// Index of the largest of `count` elements `stride` apart.
template <typename T>
int64_t IndexOfLargest(const T* x, int64_t count, int64_t stride) {
  int64_t best = 0;
  for (int64_t i = 1; i < count; ++i) {
    const T& top = x[best * stride];
    const T& value = x[i * stride];
    // False for a NaN on either side; only a first NaN may displace.
    if (value > top || (value != value && top == top)) best = i;
  }
  return best;
}

}  // namespace

Tensor ArgMax(const Tensor& x, int axis) {
  if (!x.defined() || !(IsFloating(x.dtype()) || IsInteger(x.dtype()))) {
    throw InvalidArgument("[ArgMax] x must hold numbers, got {}", Describe(x));
  }
  axis = kernels_internal::NormalizeAxis("ArgMax", axis, x.rank());
  if (x.dim(axis) == 0) {
    throw InvalidArgument("[ArgMax] axis {} of {} has no elements", axis,
                          Describe(x));
  }
  const auto dims = x.shape().dims();
  std::vector<int64_t> kept(dims.begin(), dims.end());
  kept.erase(kept.begin() + axis);
  if (OnGpu("ArgMax", x)) return gpu::ArgMax(x, axis, Shape(kept));
  Tensor result = EmptyOnHost(Shape(kept), DType::kInt64);
  const int64_t inner = Shape(dims.subspan(axis + 1)).num_elements();
  VisitDType(x.dtype(), [&]<typename T>() {
    if constexpr (kIsNumber<T>) {
      int64_t* out = result.mutable_data<int64_t>();
      for (int64_t i = 0; i < result.num_elements(); ++i) {
        const T* first =
            x.data<T>() + i / inner * x.dim(axis) * inner + i % inner;
        out[i] = IndexOfLargest(first, x.dim(axis), inner);
      }
    }
  });
  return result;
}

}  // namespace lockstep::kernels
