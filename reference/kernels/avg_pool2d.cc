#include "reference/kernels/avg_pool2d.h"

#include "reference/base/thread_team.h"
#include "reference/kernels/check_tensor.h"
#include "reference/kernels/cpu/avg_pool.h"
#include "reference/kernels/device_kernel.h"
#include "reference/kernels/in_float32.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::kernels {

using kernels_internal::PoolShape;

Tensor AvgPool2D(const Tensor& x, const AvgPool2DOptions& options) {
  const bool on_gpu = x.defined() && OnGpu("AvgPool2D", x);
  if (IsNarrowFloat(x.dtype()) && !on_gpu) {
    return kernels_internal::InFloat32("AvgPool2D", x, AvgPool2D, x, options);
  }
  constexpr const char* kName = "AvgPool2D";
  kernels_internal::CheckUpToFloat32(kName, "x", x);
  kernels_internal::CheckRank(kName, "x", x, 4);
  const PoolShape shape =
      kernels_internal::MakePoolShape(kName, x.shape(), options);
  if (on_gpu) return gpu::AvgPool2D(x, options);
  Tensor y = EmptyOnHost(shape.OutputShape(x.dim(0)));
  const float* from = x.data<float>();
  float* to = y.mutable_data<float>();
  ParallelFor(x.dim(0), 1, [&](int64_t begin, int64_t end, int) {
    for (int64_t n = begin; n < end; ++n) {
      kernels_internal::AvgPoolImage(shape, from + n * shape.x_image(),
                                     to + n * shape.y_image());
    }
  });
  return y;
}

Tensor AvgPool2DBackward(const Shape& x_shape, const Tensor& dy,
                         const AvgPool2DOptions& options) {
  const bool on_gpu = dy.defined() && OnGpu("AvgPool2DBackward", dy);
  if (IsNarrowFloat(dy.dtype()) && !on_gpu) {
    return kernels_internal::InFloat32("AvgPool2DBackward", dy,
                                       AvgPool2DBackward, x_shape, dy, options);
  }
  constexpr const char* kName = "AvgPool2DBackward";
  const PoolShape shape =
      kernels_internal::MakePoolShape(kName, x_shape, options);
  kernels_internal::CheckUpToFloat32(kName, "dy", dy);
  kernels_internal::CheckShape(kName, "dy", dy, shape.OutputShape(x_shape[0]));
  if (on_gpu) return gpu::AvgPool2DBackward(x_shape, dy, options);
  Tensor dx = EmptyOnHost(x_shape);
  const float* from = dy.data<float>();
  float* to = dx.mutable_data<float>();
  ParallelFor(x_shape[0], 1, [&](int64_t begin, int64_t end, int) {
    for (int64_t n = begin; n < end; ++n) {
      kernels_internal::SpreadImage(shape, from + n * shape.y_image(),
                                    to + n * shape.x_image());
    }
  });
  return dx;
}

}  // namespace lockstep::kernels
