// Differentiable convolution and pooling of float32 images [N, H, W, C]; shapes
// and errors as the kernels of the same names.
//
//   Tensor y = ops::Conv2DReluMaxPool2D(x, filter, bias, options);
//   // the same numbers as, but much faster than
//   y = ops::MaxPool2D(ops::Conv2D(x, filter, bias, {.relu = true}), pool);
#ifndef LOCKSTEP_REFERENCE_AUTODIFF_OPS_CONVOLUTION_H_
#define LOCKSTEP_REFERENCE_AUTODIFF_OPS_CONVOLUTION_H_

#include "reference/kernels/avg_pool2d.h"
#include "reference/kernels/conv2d.h"
#include "reference/kernels/conv2d_relu_max_pool2d.h"
#include "reference/kernels/max_pool2d.h"
#include "reference/tensor/tensor.h"

namespace lockstep::ops {

// `bias` may be undefined.
Tensor Conv2D(const Tensor& x, const Tensor& filter, const Tensor& bias,
              const kernels::Conv2DOptions& options);

Tensor AvgPool2D(const Tensor& x, const kernels::AvgPool2DOptions& options);
Tensor MaxPool2D(const Tensor& x, const kernels::MaxPool2DOptions& options);

Tensor Conv2DReluMaxPool2D(const Tensor& x, const Tensor& filter,
                           const Tensor& bias,
                           const kernels::Conv2DReluMaxPool2DOptions& options);

}  // namespace lockstep::ops

#endif  // LOCKSTEP_REFERENCE_AUTODIFF_OPS_CONVOLUTION_H_
