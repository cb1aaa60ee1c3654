// A fully connected layer on float32: x [N, K] times kernel [K, M] plus bias.
//
//   x = [[1, 2]], kernel = [[1, 0], [3, -9]], bias = [0, 1]
//   Dense(x, kernel, bias)                  // [[7, -17]]
//   Dense(x, kernel, bias, /*relu=*/true)   // [[7, 0]]
#ifndef LOCKSTEP_REFERENCE_KERNELS_DENSE_H_
#define LOCKSTEP_REFERENCE_KERNELS_DENSE_H_

#include "reference/kernels/device_kernel.h"
#include "reference/tensor/tensor.h"

namespace lockstep::kernels {

// `bias` [M] may be undefined. N may be 0.
// Errors: InvalidArgument for other types, ranks or sizes that do not match.
Tensor Dense(const Tensor& x, const Tensor& kernel, const Tensor& bias,
             bool relu = false);

struct DenseGradients {
  Tensor x;  // undefined unless asked for
  Tensor kernel;
  Tensor bias;
};

// Gradients for `dy`, the gradient of y = Dense(x, kernel, bias, relu). `y` is
// read only for the mask of a ReLU and may be undefined without one.
// Errors as Dense.
DenseGradients DenseBackward(const Tensor& x, const Tensor& kernel,
                             const Tensor& y, const Tensor& dy, bool relu,
                             bool need_x);

namespace gpu {
inline constinit DeviceKernel<decltype(kernels::Dense)> Dense{"Dense"};
}  // namespace gpu

}  // namespace lockstep::kernels

#endif  // LOCKSTEP_REFERENCE_KERNELS_DENSE_H_
