// Conv2D on GPUs.
#include "reference/kernels/conv2d.h"

#include "reference/kernels/cuda/convolution.h"
#include "reference/kernels/relu.h"

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
}  // namespace lockstep::kernels
