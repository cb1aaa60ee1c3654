// Pooling on GPUs.
#include "reference/kernels/pooling/pool2d.h"

#include "reference/device/cuda/check_cuda.h"
#include "reference/device/cuda/cuda_memory.h"
#include "reference/kernels/pooling/cuda/pool2d_launch.h"

namespace lockstep::kernels {
namespace {

using kernels_internal::MakePoolShape;
using kernels_internal::PoolShape;

constexpr int64_t kSmallWindow = 255;  // elements that a uint8 can number

MaxPool2DResult MaxPoolOnGpu(const Tensor& x, const MaxPool2DOptions& options) {
  const PoolShape shape = MakePoolShape("MaxPool2D", x.shape(), options);
  const Shape y_shape = shape.OutputShape(x.dim(0));
  const bool small = shape.pool[0] * shape.pool[1] <= kSmallWindow;
  Device& device = x.device();
  MaxPool2DResult result{
      Tensor::Empty(y_shape, x.dtype(), device),
      Tensor::Empty(y_shape, small ? DType::kUInt8 : DType::kInt32, device)};
  CheckCuda(cuda::MaxPool(StreamOf(device), x.dtype(), result.argmax.dtype(),
                          shape, x.dim(0), /*relu=*/false, x.raw_data(),
                          result.y.mutable_raw_data(),
                          result.argmax.mutable_raw_data()),
            "[MaxPool2D]");
  return result;
}

Tensor MaxPoolBackwardOnGpu(const Shape& x_shape, const Tensor& argmax,
                            const Tensor& dy, const MaxPool2DOptions& options) {
  const PoolShape shape = MakePoolShape("MaxPool2DBackward", x_shape, options);
  Device& device = dy.device();
  Tensor dx = Tensor::Empty(x_shape, dy.dtype(), device);
  CheckCuda(cuda::MaxPoolBackward(StreamOf(device), dy.dtype(), argmax.dtype(),
                                  shape, x_shape[0], dy.raw_data(),
                                  argmax.raw_data(), dx.mutable_raw_data()),
            "[MaxPool2DBackward]");
  return dx;
}

Tensor AvgPoolOnGpu(const Tensor& x, const AvgPool2DOptions& options) {
  const PoolShape shape = MakePoolShape("AvgPool2D", x.shape(), options);
  Device& device = x.device();
  Tensor y = Tensor::Empty(shape.OutputShape(x.dim(0)), x.dtype(), device);
  CheckCuda(cuda::AvgPool(StreamOf(device), x.dtype(), shape, x.dim(0),
                          x.raw_data(), y.mutable_raw_data()),
            "[AvgPool2D]");
  return y;
}

Tensor AvgPoolBackwardOnGpu(const Shape& x_shape, const Tensor& dy,
                            const AvgPool2DOptions& options) {
  const PoolShape shape = MakePoolShape("AvgPool2DBackward", x_shape, options);
  Device& device = dy.device();
  Tensor dx = Tensor::Empty(x_shape, dy.dtype(), device);
  CheckCuda(
      cuda::AvgPoolBackward(StreamOf(device), dy.dtype(), shape, x_shape[0],
                            dy.raw_data(), dx.mutable_raw_data()),
      "[AvgPool2DBackward]");
  return dx;
}

const RegisterKernel kMax(gpu::MaxPool2D, &MaxPoolOnGpu);
const RegisterKernel kMaxBackward(gpu::MaxPool2DBackward,
                                  &MaxPoolBackwardOnGpu);
const RegisterKernel kAvg(gpu::AvgPool2D, &AvgPoolOnGpu);
const RegisterKernel kAvgBackward(gpu::AvgPool2DBackward,
                                  &AvgPoolBackwardOnGpu);

}  // namespace
}  // namespace lockstep::kernels
