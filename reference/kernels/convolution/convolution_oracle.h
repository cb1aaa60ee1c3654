// Convolution and pooling as plain loops in double, for tests: slow, but easy
// to check by reading.
#ifndef LOCKSTEP_REFERENCE_KERNELS_CONVOLUTION_CONVOLUTION_ORACLE_H_
#define LOCKSTEP_REFERENCE_KERNELS_CONVOLUTION_CONVOLUTION_ORACLE_H_

#include "reference/kernels/convolution/conv2d.h"
#include "reference/kernels/pooling/pool2d.h"
#include "reference/tensor/tensor.h"

namespace lockstep::kernels::oracle {

// All tensors are float64, except x, filter, bias and dy, which are float32.
Tensor Conv2D(const Tensor& x, const Tensor& filter, const Tensor& bias,
              const Conv2DOptions& options);
// `y` is the result of Conv2D. gradients.x is always computed.
Conv2DGradients Conv2DBackward(const Tensor& x, const Tensor& filter,
                               const Tensor& y, const Tensor& dy,
                               const Conv2DOptions& options);

struct Pooled {
  Tensor y;       // float64
  Tensor argmax;  // int64
};
// x is float64.
Pooled MaxPool2D(const Tensor& x, const MaxPool2DOptions& options);
// Adds each dy (float32) to the element that it came from, in a float64 tensor
// of shape `x_shape`.
Tensor MaxPool2DBackward(const Shape& x_shape, const Tensor& argmax,
                         const Tensor& dy, const MaxPool2DOptions& options);

}  // namespace lockstep::kernels::oracle

#endif  // LOCKSTEP_REFERENCE_KERNELS_CONVOLUTION_CONVOLUTION_ORACLE_H_
