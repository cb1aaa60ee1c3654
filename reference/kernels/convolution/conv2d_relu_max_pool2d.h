// MaxPool2D(Relu(Conv2D(x, filter, bias))) as one kernel.
//
// The convolution's output, by far the largest array of a small network, never
// reaches memory: it is computed for a few images at a time and pooled while it
// is in the core's cache. Backward also expands the pooled gradient a few
// images at a time.
//
//   auto [y, selection] = Conv2DReluMaxPool2D(x, filter, bias, options);
//   auto g = Conv2DReluMaxPool2DBackward(x, filter, selection, dy, options,
//                                        /*need_x=*/true);
//
// y and the gradients equal those of the three kernels in sequence, except for
// the order of additions. conv2d.h says how bits depend on team sizes.
#ifndef LOCKSTEP_REFERENCE_KERNELS_CONVOLUTION_CONV2D_RELU_MAX_POOL2D_H_
#define LOCKSTEP_REFERENCE_KERNELS_CONVOLUTION_CONV2D_RELU_MAX_POOL2D_H_

#include <array>
#include <cstdint>

#include "reference/kernels/convolution/conv2d.h"
#include "reference/kernels/device_kernel.h"
#include "reference/kernels/pooling/pool2d.h"
#include "reference/kernels/windows.h"
#include "reference/tensor/tensor.h"

namespace lockstep::kernels {

struct Conv2DReluMaxPool2DOptions {
  std::array<int64_t, 2> strides{1, 1};  // of the convolution
  Padding padding = Padding::kValid;     // of the convolution
  MaxPool2DOptions pool = {};
};

struct Conv2DReluMaxPool2DResult {
  Tensor y;
  // uint8, one per element of y: the window's maximum, as row * pool[1] +
  // column, or kReluCut if no element was positive.
  Tensor selection;
};

// Errors as Conv2D and MaxPool2D; InvalidArgument also for a pooling window of
// more than 255 elements.
Conv2DReluMaxPool2DResult Conv2DReluMaxPool2D(
    const Tensor& x, const Tensor& filter, const Tensor& bias,
    const Conv2DReluMaxPool2DOptions& options);

// Gradients for `dy`, the gradient of the result's y. Errors as forward.
// REQUIRES: `selection` is the forward result for the same arguments.
Conv2DGradients Conv2DReluMaxPool2DBackward(
    const Tensor& x, const Tensor& filter, const Tensor& selection,
    const Tensor& dy, const Conv2DReluMaxPool2DOptions& options, bool need_x);

namespace gpu {
inline constinit DeviceKernel<decltype(kernels::Conv2DReluMaxPool2D)>
    Conv2DReluMaxPool2D{"Conv2DReluMaxPool2D"};
inline constinit DeviceKernel<decltype(kernels::Conv2DReluMaxPool2DBackward)>
    Conv2DReluMaxPool2DBackward{"Conv2DReluMaxPool2DBackward"};
}  // namespace gpu

}  // namespace lockstep::kernels

#endif  // LOCKSTEP_REFERENCE_KERNELS_CONVOLUTION_CONV2D_RELU_MAX_POOL2D_H_
