#include "reference/kernels/clip.h"

#include "reference/base/error.h"
#include "reference/base/thread_team.h"
#include "reference/kernels/check_tensor.h"
#include "reference/kernels/device_kernel.h"
#include "reference/kernels/in_float32.h"
#include "reference/kernels/visit_arithmetic.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::kernels {
namespace {

constexpr int64_t kGrain = 16384;

void Check(const Tensor& x, double low, double high) {
  kernels_internal::CheckFloating("Clip", "x", x);
  if (!(low <= high)) {
    throw InvalidArgument("[Clip] low must not be above high, got {} and {}",
                          low, high);
  }
}

}  // namespace

Tensor Clip(const Tensor& x, double low, double high) {
  if (IsNarrowFloat(x.dtype())) {
    return kernels_internal::InFloat32("Clip", x, Clip, x, low, high);
  }
  Check(x, low, high);
  if (OnGpu("Clip", x)) return gpu::Clip(x, low, high);
  Tensor y = EmptyOnHost(x.shape(), x.dtype());
  kernels_internal::VisitFloating(x.dtype(), [&]<typename T>() {
    const T lowest = static_cast<T>(low), highest = static_cast<T>(high);
    const T* from = x.data<T>();
    T* to = y.mutable_data<T>();
    ParallelFor(x.num_elements(), kGrain, [&](int64_t begin, int64_t end, int) {
      for (int64_t i = begin; i < end; ++i) {
        const T value = from[i];
        to[i] = value < lowest ? lowest : value > highest ? highest : value;
      }
    });
  });
  return y;
}

Tensor ClipBackward(const Tensor& x, const Tensor& dy, double low,
                    double high) {
  if (IsNarrowFloat(x.dtype())) {
    return kernels_internal::InFloat32("ClipBackward", x, ClipBackward, x, dy,
                                       low, high);
  }
  Check(x, low, high);
  kernels_internal::CheckAlike("ClipBackward", x, dy);
  if (OnGpu("ClipBackward", x, dy)) return gpu::ClipBackward(x, dy, low, high);
  Tensor dx = EmptyOnHost(x.shape(), x.dtype());
  kernels_internal::VisitFloating(x.dtype(), [&]<typename T>() {
    const T lowest = static_cast<T>(low), highest = static_cast<T>(high);
    const T* from = x.data<T>();
    const T* gradient = dy.data<T>();
    T* to = dx.mutable_data<T>();
    ParallelFor(x.num_elements(), kGrain, [&](int64_t begin, int64_t end, int) {
      for (int64_t i = begin; i < end; ++i) {
        to[i] = from[i] >= lowest && from[i] <= highest ? gradient[i] : 0;
      }
    });
  });
  return dx;
}

}  // namespace lockstep::kernels
