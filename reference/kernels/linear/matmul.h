// Matrix products and fully connected layers.
#ifndef LOCKSTEP_REFERENCE_KERNELS_LINEAR_MATMUL_H_
#define LOCKSTEP_REFERENCE_KERNELS_LINEAR_MATMUL_H_

#include "reference/kernels/device_kernel.h"
#include "reference/tensor/tensor.h"

namespace lockstep::kernels {

// Product of two matrices of one floating type.
//
//   MatMul([[1, 2]], [[3], [4]])                     // [[11]]
//   MatMul([[1, 2]], [[3, 4]], false, /*transpose_b=*/true)   // [[11]]
//
// Errors: InvalidArgument for another type, a rank other than 2, or different
// inner dimensions.
Tensor MatMul(const Tensor& a, const Tensor& b, bool transpose_a = false,
              bool transpose_b = false);

// The same with a float32 result. REQUIRES: no float64, and no GPU.
Tensor MatMulAsFloat32(const Tensor& a, const Tensor& b,
                       bool transpose_a = false, bool transpose_b = false);

// A fully connected layer on float32: x [N, K] times kernel [K, M] plus bias.
//
//   x = [[1, 2]], kernel = [[1, 0], [3, -9]], bias = [0, 1]
//   Dense(x, kernel, bias)                  // [[7, -17]]
//   Dense(x, kernel, bias, /*relu=*/true)   // [[7, 0]]
//
// `bias` [M] may be undefined. N may be 0.
// Errors: InvalidArgument for other types, ranks or sizes that do not match.
Tensor Dense(const Tensor& x, const Tensor& kernel, const Tensor& bias,
             bool relu = false);

struct DenseGradients {
  Tensor x;  // undefined unless requested
  Tensor kernel;
  Tensor bias;
};

// Gradients for `dy`, the gradient of y = Dense(x, kernel, bias, relu). `y` is
// only used with a ReLU and may be undefined without one. Errors as Dense.
DenseGradients DenseBackward(const Tensor& x, const Tensor& kernel,
                             const Tensor& y, const Tensor& dy, bool relu,
                             bool need_x);

// GPU versions; see device_kernel.h.
namespace gpu {
inline constinit DeviceKernel<decltype(kernels::MatMul)> MatMul{"MatMul"};
inline constinit DeviceKernel<decltype(kernels::Dense)> Dense{"Dense"};
}  // namespace gpu

}  // namespace lockstep::kernels

#endif  // LOCKSTEP_REFERENCE_KERNELS_LINEAR_MATMUL_H_
