// Convolutions of tensors on one GPU by cuDNN; conv2d.h has the contract.
//
// Each call transposes filters from HWIO to cuDNN's [O, H, W, I], and their
// gradients back: cuDNN has no engine for HWIO, and a filter is small compared
// with the images. cuDNN's arithmetic differs from the CPU kernel's in the
// order of additions only, and is the same in every run unless autotuning is on
// (gpu_libraries.h).

#include <array>
#include <mutex>

#include "reference/device/cuda/check_cuda.h"
#include "reference/device/cuda/cuda_memory.h"
#include "reference/kernels/convolution/conv2d.h"
#include "reference/kernels/convolution/conv2d_relu_max_pool2d.h"
#include "reference/kernels/convolution/convolution_shape.h"
#include "reference/kernels/convolution/cuda/convolution_plan.h"
#include "reference/kernels/convolution/cuda/transpose.h"
#include "reference/kernels/cuda/tensor_memory.h"
#include "reference/kernels/elementwise/unary.h"
#include "reference/kernels/gpu_libraries.h"
#include "reference/kernels/movement/cuda/image_copy.h"
#include "reference/kernels/pooling/cuda/pool2d_launch.h"
#include "reference/kernels/reduction/reduce.h"
#include "reference/tensor/tensor.h"

namespace lockstep::cuda {

// `bias` may be undefined. Errors of both: Unimplemented if cuDNN has no
// engine; ResourceExhausted; Internal. REQUIRES: `shape` is the shape of the
// tensors, which are on one GPU.
Tensor Convolve(const Tensor& x, const Tensor& filter, const Tensor& bias,
                const kernels_internal::ConvolutionShape& shape, bool relu,
                bool allow_winograd);

// `dy` is the gradient of the convolution itself, after a ReLU's mask.
kernels::Conv2DGradients ConvolveBackward(
    const Tensor& x, const Tensor& filter, const Tensor& dy,
    const kernels_internal::ConvolutionShape& shape, bool need_x);

using kernels_internal::ConvolutionPass;
using kernels_internal::ConvolutionShape;
using kernels_internal::ConvolutionSignature;

namespace {

constexpr char kName[] = "[Conv2D]";

// Transposes [H, W, I, O] to [O, H, W, I].
Tensor FilterForCudnn(const Tensor& filter) {
  const int64_t outputs = filter.dim(3);
  const int64_t inner = filter.num_elements() / outputs;
  Tensor turned =
      Tensor::Empty(Shape{outputs, inner}, filter.dtype(), filter.device());
  CheckCuda(
      Transpose(StreamOf(filter.device()), DTypeSize(filter.dtype()),
                filter.raw_data(), turned.mutable_raw_data(), inner, outputs),
      kName);
  return turned;
}

Tensor ImagesFor(const ConvolutionSignature& signature, Device& device) {
  return Tensor::Empty(Shape{signature.images, signature.shape.height,
                             signature.shape.width, signature.shape.inputs},
                       signature.dtype, device);
}

// Pads x with zeros at the end if the convolution needs them.
Tensor WithTrailingZeros(const Tensor& x, const ConvolutionSignature& even) {
  if (x.dim(1) == even.shape.height && x.dim(2) == even.shape.width) {
    return Aligned(x);
  }
  Tensor larger = ImagesFor(even, x.device());
  SetToZero(larger);
  CopyImageParts(x, {}, larger, {}, x.dim(1), x.dim(2));
  return larger;
}

ConvolutionSignature SignatureOf(ConvolutionPass pass, const Tensor& x,
                                 const ConvolutionShape& shape) {
  const GpuMath math = CurrentGpuMath();
  return ConvolutionSignature{.pass = pass,
                              .dtype = x.dtype(),
                              .images = x.dim(0),
                              .shape = shape,
                              .allow_tf32 = math.allow_tf32,
                              .autotune = math.autotune}
      .WithTrailingZeros();
}

void PlanAndRun(Device& device, const ConvolutionSignature& signature,
                const ConvolutionArrays& arrays) {
  CudnnHandle& handle = CudnnHandle::Of(device);
  std::lock_guard lock(handle.mutex());
  const auto plan = PlanConvolution(device, handle, signature, arrays);
  RunConvolution(device, handle, *plan, arrays);
  if (LibraryCalls* calls = LibraryCalls::Current()) {
    calls->Add(ConvolutionCall(device, plan));
  }
}

Tensor FilterGradient(const Tensor& x, const ConvolutionShape& shape,
                      const Tensor& filter, const Tensor& dy) {
  Device& device = x.device();
  const auto signature =
      SignatureOf(ConvolutionPass::kBackwardFilter, x, shape);
  const int64_t inner = filter.num_elements() / shape.outputs;
  Tensor turned =
      Tensor::Empty(Shape{shape.outputs, inner}, filter.dtype(), device);
  const Tensor input = WithTrailingZeros(x, signature);
  PlanAndRun(device, signature,
             {.x = Data(input), .filter = Data(turned), .y = Data(dy)});
  Tensor gradient = Tensor::Empty(filter.shape(), filter.dtype(), device);
  CheckCuda(
      Transpose(StreamOf(device), DTypeSize(filter.dtype()), turned.raw_data(),
                gradient.mutable_raw_data(), shape.outputs, inner),
      kName);
  return gradient;
}

Tensor InputGradient(const Tensor& x, const ConvolutionShape& shape,
                     const Tensor& filter, const Tensor& dy) {
  Device& device = x.device();
  const auto signature = SignatureOf(ConvolutionPass::kBackwardData, x, shape);
  const Tensor turned = FilterForCudnn(filter);
  Tensor larger = ImagesFor(signature, device);
  PlanAndRun(device, signature,
             {.x = Data(larger), .filter = Data(turned), .y = Data(dy)});
  if (larger.shape() == x.shape()) return larger;
  Tensor gradient = Tensor::Empty(x.shape(), x.dtype(), device);
  CopyImageParts(larger, {}, gradient, {}, x.dim(1), x.dim(2));
  return gradient;
}

}  // namespace

Tensor Convolve(const Tensor& x, const Tensor& filter, const Tensor& bias,
                const ConvolutionShape& shape, bool relu, bool allow_winograd) {
  Device& device = x.device();
  Tensor y = Tensor::Empty(shape.OutputShape(x.dim(0)), x.dtype(), device);
  if (y.num_elements() == 0) return y;
  ConvolutionSignature signature =
      SignatureOf(ConvolutionPass::kForward, x, shape);
  signature.bias = bias.defined();
  signature.relu = relu;
  signature.allow_winograd = allow_winograd;
  const Tensor input = WithTrailingZeros(x, signature);
  const Tensor turned = FilterForCudnn(filter);
  const Tensor offset = bias.defined() ? Aligned(bias) : bias;
  PlanAndRun(device, signature,
             {.x = Data(input),
              .filter = Data(turned),
              .y = Data(y),
              .bias = Data(offset)});
  return y;
}

kernels::Conv2DGradients ConvolveBackward(const Tensor& x, const Tensor& filter,
                                          const Tensor& dy,
                                          const ConvolutionShape& shape,
                                          bool need_x) {
  Device& device = x.device();
  kernels::Conv2DGradients gradients;
  if (dy.num_elements() == 0) {
    gradients.filter = Tensor::Zeros(filter.shape(), filter.dtype(), device);
    gradients.bias =
        Tensor::Zeros(Shape{shape.outputs}, filter.dtype(), device);
    if (need_x) gradients.x = Tensor::Zeros(x.shape(), x.dtype(), device);
    return gradients;
  }
  const Tensor aligned = Aligned(dy);
  gradients.filter = FilterGradient(x, shape, filter, aligned);
  constexpr std::array<int, 1> kRows = {0};
  gradients.bias = kernels::ReduceSum(
      aligned.Reshape(Shape{dy.num_elements() / shape.outputs, shape.outputs}),
      kRows);
  if (need_x) gradients.x = InputGradient(x, shape, filter, aligned);
  return gradients;
}

}  // namespace lockstep::cuda

namespace lockstep::kernels {

namespace {

using kernels_internal::MakeConvolutionShape;

Tensor ConvolveOnGpu(const Tensor& x, const Tensor& filter, const Tensor& bias,
                     const Conv2DOptions& options) {
  const auto shape = MakeConvolutionShape("Conv2D", x, filter, bias,
                                          options.strides, options.padding);
  return cuda::Convolve(x, filter, bias, shape, options.relu,
                        /*allow_winograd=*/false);
}

Conv2DGradients ConvolveBackwardOnGpu(const Tensor& x, const Tensor& filter,
                                      const Tensor& y, const Tensor& dy,
                                      const Conv2DOptions& options,
                                      bool need_x) {
  const auto shape = MakeConvolutionShape("Conv2DBackward", x, filter, Tensor(),
                                          options.strides, options.padding);
  const Tensor masked = options.relu ? ReluBackward(y, dy) : dy;
  return cuda::ConvolveBackward(x, filter, masked, shape, need_x);
}

const RegisterKernel kForward(gpu::Conv2D, &ConvolveOnGpu);
const RegisterKernel kBackward(gpu::Conv2DBackward, &ConvolveBackwardOnGpu);

}  // namespace

// Convolution, ReLU and max-pooling: cuDNN's convolution with bias, and one
// kernel that pools, applies ReLU and stores the winners.

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
  // ReLU after the maximum is the same function on a smaller array.
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

const RegisterKernel kFusedForward(gpu::Conv2DReluMaxPool2D, &ForwardOnGpu);
const RegisterKernel kFusedBackward(gpu::Conv2DReluMaxPool2DBackward,
                                    &BackwardOnGpu);

}  // namespace
}  // namespace lockstep::kernels
