// Mean over windows of float32 images x [N, H, W, C].
//
//   x = [[1, 2, 5], [4, 3, 6]] as [1, 2, 3, 1], options {.strides = {1, 1}}
//   AvgPool2D(x, options)   // [[2.5, 4]] as [1, 1, 2, 1]
//
// Padding does not count: a window at the rim is the mean of what it has.
#ifndef LOCKSTEP_REFERENCE_KERNELS_AVG_POOL2D_H_
#define LOCKSTEP_REFERENCE_KERNELS_AVG_POOL2D_H_

#include "reference/kernels/device_kernel.h"
#include "reference/kernels/pool2d_options.h"
#include "reference/tensor/tensor.h"

namespace lockstep::kernels {

using AvgPool2DOptions = Pool2DOptions;

// Errors: InvalidArgument for another type or rank, or a window that does not
// fit.
Tensor AvgPool2D(const Tensor& x, const AvgPool2DOptions& options);

// The gradient of x, of shape `x_shape`: each dy in equal parts to its window.
// Errors: InvalidArgument for shapes that AvgPool2D would not have given.
Tensor AvgPool2DBackward(const Shape& x_shape, const Tensor& dy,
                         const AvgPool2DOptions& options);

namespace gpu {
inline constinit DeviceKernel<decltype(kernels::AvgPool2D)> AvgPool2D{
    "AvgPool2D"};
inline constinit DeviceKernel<decltype(kernels::AvgPool2DBackward)>
    AvgPool2DBackward{"AvgPool2DBackward"};
}  // namespace gpu

}  // namespace lockstep::kernels

#endif  // LOCKSTEP_REFERENCE_KERNELS_AVG_POOL2D_H_
