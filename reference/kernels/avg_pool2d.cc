#include "reference/kernels/avg_pool2d.h"

#include "reference/base/thread_team.h"
#include "reference/kernels/check_tensor.h"
#include "reference/kernels/cpu/avg_pool.h"
#include "reference/kernels/in_float32.h"

namespace lockstep::kernels {

using kernels_internal::PoolShape;

Tensor AvgPool2D(const Tensor& x, const AvgPool2DOptions& options) {
  if (IsNarrowFloat(x.dtype())) {
    return kernels_internal::InFloat32("AvgPool2D", x, AvgPool2D, x, options);
  }
  constexpr const char* kName = "AvgPool2D";
  kernels_internal::CheckDType(kName, "x", x, DType::kFloat32);
  kernels_internal::CheckRank(kName, "x", x, 4);
  const PoolShape shape =
      kernels_internal::MakePoolShape(kName, x.shape(), options);
  Tensor y = Tensor::Empty(shape.OutputShape(x.dim(0)));
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
  if (IsNarrowFloat(dy.dtype())) {
    return kernels_internal::InFloat32("AvgPool2DBackward", dy,
                                       AvgPool2DBackward, x_shape, dy, options);
  }
  constexpr const char* kName = "AvgPool2DBackward";
  Tensor dx = Tensor::Empty(x_shape);
  kernels_internal::CheckRank(kName, "x", dx, 4);
  const PoolShape shape =
      kernels_internal::MakePoolShape(kName, x_shape, options);
  kernels_internal::CheckDType(kName, "dy", dy, DType::kFloat32);
  kernels_internal::CheckShape(kName, "dy", dy, shape.OutputShape(x_shape[0]));
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
