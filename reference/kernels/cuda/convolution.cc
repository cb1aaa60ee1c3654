// Conv2D on GPUs: cuDNN's engines, fed and read in the project's layouts.
#include "reference/kernels/cuda/convolution.h"

#include <array>
#include <mutex>

#include "reference/device/cuda/check_cuda.h"
#include "reference/device/cuda/cuda_memory.h"
#include "reference/kernels/conv2d.h"
#include "reference/kernels/cuda/aligned.h"
#include "reference/kernels/cuda/convolution_call.h"
#include "reference/kernels/cuda/convolution_plan.h"
#include "reference/kernels/cuda/image_copy.h"
#include "reference/kernels/cuda/transpose.h"
#include "reference/kernels/gpu_math.h"
#include "reference/kernels/library_calls.h"
#include "reference/kernels/reduce.h"

namespace lockstep::cuda {

using kernels_internal::ConvolutionPass;
using kernels_internal::ConvolutionShape;
using kernels_internal::ConvolutionSignature;

namespace {

constexpr char kName[] = "[Conv2D]";

// [H, W, I, O] as [O, H, W, I].
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

// x with zeros behind, where the convolution needs them.
Tensor WithZerosBehind(const Tensor& x, const ConvolutionSignature& even) {
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
      .WithZerosBehind();
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
  const Tensor input = WithZerosBehind(x, signature);
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
  const Tensor input = WithZerosBehind(x, signature);
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
