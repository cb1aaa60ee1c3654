// 2-D convolution of float32 images: x [N, H, W, I] with filter [P, Q, I, O].
//
//   x = [[1, 2, 3], [4, 5, 6], [7, 8, 9]] as [1, 3, 3, 1]
//   filter = [[1, 0], [0, 1]] as [2, 2, 1, 1], no bias
//   Conv2D(x, filter, {}, {})   // [[6, 8], [12, 14]] as [1, 2, 2, 1]
//
// As in every framework this is a cross-correlation: the filter is not flipped.
// The bits of y do not depend on the thread team's size; those of the filter
// and bias gradients do, because each member sums its own images first.
#ifndef LOCKSTEP_REFERENCE_KERNELS_CONVOLUTION_CONV2D_H_
#define LOCKSTEP_REFERENCE_KERNELS_CONVOLUTION_CONV2D_H_

#include <array>
#include <cstdint>

#include "reference/kernels/device_kernel.h"
#include "reference/kernels/windows.h"
#include "reference/tensor/tensor.h"

namespace lockstep::kernels {

struct Conv2DOptions {
  std::array<int64_t, 2> strides{1, 1};  // rows, columns
  Padding padding = Padding::kValid;
  bool relu = false;  // y = max(0, y); NaN stays NaN
};

// `bias` [O] may be undefined. N may be 0.
// Errors: InvalidArgument for other types, ranks or sizes that do not match.
Tensor Conv2D(const Tensor& x, const Tensor& filter, const Tensor& bias,
              const Conv2DOptions& options);

struct Conv2DGradients {
  Tensor x;  // undefined unless requested
  Tensor filter;
  Tensor bias;
};

// Gradients for `dy`, the gradient of y = Conv2D(x, filter, bias, options). `y`
// is only used with a ReLU and may be undefined without one. Errors as Conv2D.
Conv2DGradients Conv2DBackward(const Tensor& x, const Tensor& filter,
                               const Tensor& y, const Tensor& dy,
                               const Conv2DOptions& options, bool need_x);

namespace gpu {
inline constinit DeviceKernel<decltype(kernels::Conv2D)> Conv2D{"Conv2D"};
inline constinit DeviceKernel<decltype(kernels::Conv2DBackward)> Conv2DBackward{
    "Conv2DBackward"};
}  // namespace gpu

}  // namespace lockstep::kernels

#endif  // LOCKSTEP_REFERENCE_KERNELS_CONVOLUTION_CONV2D_H_
