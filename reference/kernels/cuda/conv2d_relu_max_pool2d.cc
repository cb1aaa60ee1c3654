// Convolution, ReLU and max-pooling on GPUs: cuDNN's convolution with its bias,
// and one pass that pools, cuts and remembers who won.
#include "reference/kernels/conv2d_relu_max_pool2d.h"

#include "reference/device/cuda/check_cuda.h"
#include "reference/device/cuda/cuda_memory.h"
#include "reference/kernels/cuda/convolution.h"
#include "reference/kernels/cuda/pool.h"

namespace lockstep::kernels {
namespace {

using kernels_internal::ConvolutionShape;
using kernels_internal::MakeConvolutionShape;
using kernels_internal::MakePoolShape;
using kernels_internal::PoolShape;

constexpr char kName[] = "Conv2DReluMaxPool2D";

Conv2DReluMaxPool2DResult ForwardOnGpu(
    const Tensor& x, const Tensor& filter, const Tensor& bias,
    const Conv2DReluMaxPool2DOptions& options) {
  const ConvolutionShape shape = MakeConvolutionShape(
      kName, x, filter, bias, options.strides, options.padding);
  // Pooling cuts behind the maximum: the same function on a smaller array.
  const Tensor convolved =
      cuda::Convolve(x, filter, bias, shape, /*relu=*/false,
                     /*allow_winograd=*/true);
  const PoolShape pool = MakePoolShape(kName, convolved.shape(), options.pool);
  const Shape y_shape = pool.OutputShape(x.dim(0));
  Device& device = x.device();
  Conv2DReluMaxPool2DResult result{
      Tensor::Empty(y_shape, x.dtype(), device),
      Tensor::Empty(y_shape, DType::kUInt8, device)};
  CheckCuda(cuda::MaxPool(StreamOf(device), x.dtype(), DType::kUInt8, pool,
                          x.dim(0), /*relu=*/true, convolved.raw_data(),
                          result.y.mutable_raw_data(),
                          result.selection.mutable_raw_data()),
            "[Conv2DReluMaxPool2D] pool");
  return result;
}

Conv2DGradients BackwardOnGpu(const Tensor& x, const Tensor& filter,
                              const Tensor& selection, const Tensor& dy,
                              const Conv2DReluMaxPool2DOptions& options,
                              bool need_x) {
  const ConvolutionShape shape = MakeConvolutionShape(
      kName, x, filter, Tensor(), options.strides, options.padding);
  Device& device = x.device();
  Tensor unpooled =
      Tensor::Empty(shape.OutputShape(x.dim(0)), x.dtype(), device);
  const PoolShape pool = MakePoolShape(kName, unpooled.shape(), options.pool);
  CheckCuda(
      cuda::MaxPoolBackward(StreamOf(device), x.dtype(), DType::kUInt8, pool,
                            x.dim(0), dy.raw_data(), selection.raw_data(),
                            unpooled.mutable_raw_data()),
      "[Conv2DReluMaxPool2DBackward] unpool");
  return cuda::ConvolveBackward(x, filter, unpooled, shape, need_x);
}

const RegisterKernel kForward(gpu::Conv2DReluMaxPool2D, &ForwardOnGpu);
const RegisterKernel kBackward(gpu::Conv2DReluMaxPool2DBackward,
                               &BackwardOnGpu);

}  // namespace
}  // namespace lockstep::kernels
