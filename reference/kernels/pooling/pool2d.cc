#include "reference/kernels/pooling/pool2d.h"

#include "reference/base/threads.h"
#include "reference/kernels/check_tensor.h"
#include "reference/kernels/device_kernel.h"
#include "reference/kernels/dtype_dispatch.h"
#include "reference/kernels/pooling/onednn_mean_pooling.h"
#include "reference/kernels/pooling/pool_loops.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::kernels {

using kernels_internal::OneDnnMeanPooling;
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
  if (y.num_elements() == 0) return y;
  ParallelFor(x.dim(0), 1, [&](int64_t begin, int64_t end, int) {
    OneDnnMeanPooling::Get(shape, end - begin)
        ->Forward(from + begin * shape.x_image(), to + begin * shape.y_image());
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
  if (dx.num_elements() == 0) return dx;
  ParallelFor(x_shape[0], 1, [&](int64_t begin, int64_t end, int) {
    OneDnnMeanPooling::Get(shape, end - begin)
        ->Backward(from + begin * shape.y_image(),
                   to + begin * shape.x_image());
  });
  return dx;
}

namespace {

using kernels_internal::MakePoolShape;
using kernels_internal::PoolShape;

constexpr int64_t kSmallWindow = 255;  // elements that a uint8 can number

DType WinnerType(const PoolShape& shape) {
  return shape.pool[0] * shape.pool[1] <= kSmallWindow ? DType::kUInt8
                                                       : DType::kInt32;
}

// Calls body with uint8_t or int32_t.
template <class Body>
void VisitWinnerType(DType dtype, const Body& body) {
  if (dtype == DType::kUInt8) return body.template operator()<uint8_t>();
  body.template operator()<int32_t>();
}

}  // namespace

MaxPool2DResult MaxPool2D(const Tensor& x, const MaxPool2DOptions& options) {
  const bool on_gpu = x.defined() && OnGpu("MaxPool2D", x);
  if (IsNarrowFloat(x.dtype()) && !on_gpu) {
    return kernels_internal::InFloat32("MaxPool2D", x, MaxPool2D, x, options);
  }
  kernels_internal::CheckUpToFloat32("MaxPool2D", "x", x);
  kernels_internal::CheckRank("MaxPool2D", "x", x, 4);
  const PoolShape shape = MakePoolShape("MaxPool2D", x.shape(), options);
  if (on_gpu) return gpu::MaxPool2D(x, options);
  const Shape y_shape = shape.OutputShape(x.dim(0));
  MaxPool2DResult result{EmptyOnHost(y_shape),
                         EmptyOnHost(y_shape, WinnerType(shape))};
  VisitWinnerType(result.argmax.dtype(), [&]<typename Index>() {
    const float* from = x.data<float>();
    float* to = result.y.mutable_data<float>();
    Index* winners = result.argmax.mutable_data<Index>();
    ParallelFor(x.dim(0), 1, [&](int64_t begin, int64_t end, int) {
      for (int64_t n = begin; n < end; ++n) {
        kernels_internal::MaxPoolImage(shape, from + n * shape.x_image(),
                                       to + n * shape.y_image(),
                                       winners + n * shape.y_image());
      }
    });
  });
  return result;
}

Tensor MaxPool2DBackward(const Shape& x_shape, const Tensor& argmax,
                         const Tensor& dy, const MaxPool2DOptions& options) {
  const bool on_gpu = dy.defined() && OnGpu("MaxPool2DBackward", dy, argmax);
  if (IsNarrowFloat(dy.dtype()) && !on_gpu) {
    return kernels_internal::InFloat32("MaxPool2DBackward", dy,
                                       MaxPool2DBackward, x_shape, argmax, dy,
                                       options);
  }
  constexpr const char* kName = "MaxPool2DBackward";
  const PoolShape shape = MakePoolShape(kName, x_shape, options);
  const Shape y_shape = shape.OutputShape(x_shape[0]);
  kernels_internal::CheckDType(kName, "argmax", argmax, WinnerType(shape));
  kernels_internal::CheckShape(kName, "argmax", argmax, y_shape);
  kernels_internal::CheckUpToFloat32(kName, "dy", dy);
  kernels_internal::CheckShape(kName, "dy", dy, y_shape);
  if (on_gpu) return gpu::MaxPool2DBackward(x_shape, argmax, dy, options);
  Tensor dx = EmptyOnHost(x_shape);
  VisitWinnerType(argmax.dtype(), [&]<typename Index>() {
    const float* from = dy.data<float>();
    const Index* winners = argmax.data<Index>();
    float* to = dx.mutable_data<float>();
    ParallelFor(x_shape[0], 1, [&](int64_t begin, int64_t end, int) {
      for (int64_t n = begin; n < end; ++n) {
        kernels_internal::UnpoolImage(shape, from + n * shape.y_image(),
                                      winners + n * shape.y_image(),
                                      to + n * shape.x_image());
      }
    });
  });
  return dx;
}

}  // namespace lockstep::kernels
