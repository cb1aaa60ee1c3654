// Means and maxima over windows of images.
#ifndef LOCKSTEP_REFERENCE_KERNELS_POOLING_POOL2D_H_
#define LOCKSTEP_REFERENCE_KERNELS_POOLING_POOL2D_H_

#include "reference/kernels/device_kernel.h"
#include "reference/kernels/windows.h"
#include "reference/tensor/tensor.h"

namespace lockstep::kernels {

// Mean over windows of float32 images x [N, H, W, C].
//
//   x = [[1, 2, 5], [4, 3, 6]] as [1, 2, 3, 1], options {.strides = {1, 1}}
//   AvgPool2D(x, options)   // [[2.5, 4]] as [1, 1, 2, 1]
//
// Padding does not count: a window at the border is the mean of its elements
// inside the image.
using AvgPool2DOptions = Pool2DOptions;

// Errors: InvalidArgument for another type or rank, or a window that does not
// fit.
Tensor AvgPool2D(const Tensor& x, const AvgPool2DOptions& options);

// The gradient of x, of shape `x_shape`: distributes each dy equally to its
// window. Errors: InvalidArgument for shapes that do not match AvgPool2D.
Tensor AvgPool2DBackward(const Shape& x_shape, const Tensor& dy,
                         const AvgPool2DOptions& options);

// Maximum over windows of float32 images x [N, H, W, C].
//
//   x = [[1, 2, 5], [4, 3, 6]] as [1, 2, 3, 1], options {.strides = {1, 1}}
//   MaxPool2D(x, options)   // y = [[4, 6]], argmax = [[2, 3]] as [1, 1, 2, 1]
//
// The first of equal elements wins; a NaN wins over any number. Padding never
// wins.
using MaxPool2DOptions = Pool2DOptions;

struct MaxPool2DResult {
  Tensor y;
  // The index of each y in its window: row * pool[1] + column. uint8 for
  // windows of at most 255 elements, else int32.
  Tensor argmax;
};

// Errors: InvalidArgument for another type or rank, or a window that does not
// fit.
MaxPool2DResult MaxPool2D(const Tensor& x, const MaxPool2DOptions& options);

// The gradient of x, of shape `x_shape`: each dy goes to the element that won.
// Errors: InvalidArgument for shapes that do not match MaxPool2D. REQUIRES:
// `argmax` is from MaxPool2D with the same options.
Tensor MaxPool2DBackward(const Shape& x_shape, const Tensor& argmax,
                         const Tensor& dy, const MaxPool2DOptions& options);

// GPU versions; see device_kernel.h.
namespace gpu {
inline constinit DeviceKernel<decltype(kernels::AvgPool2D)> AvgPool2D{
    "AvgPool2D"};
inline constinit DeviceKernel<decltype(kernels::AvgPool2DBackward)>
    AvgPool2DBackward{"AvgPool2DBackward"};
inline constinit DeviceKernel<decltype(kernels::MaxPool2D)> MaxPool2D{
    "MaxPool2D"};
inline constinit DeviceKernel<decltype(kernels::MaxPool2DBackward)>
    MaxPool2DBackward{"MaxPool2DBackward"};
}  // namespace gpu

}  // namespace lockstep::kernels

#endif  // LOCKSTEP_REFERENCE_KERNELS_POOLING_POOL2D_H_
