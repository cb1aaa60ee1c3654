// Product of two matrices of one floating type.
//
//   MatMul([[1, 2]], [[3], [4]])                     // [[11]]
//   MatMul([[1, 2]], [[3, 4]], false, /*transpose_b=*/true)   // [[11]]
#ifndef LOCKSTEP_REFERENCE_KERNELS_MATMUL_H_
#define LOCKSTEP_REFERENCE_KERNELS_MATMUL_H_

#include "reference/kernels/device_kernel.h"
#include "reference/tensor/tensor.h"

namespace lockstep::kernels {

// Errors: InvalidArgument for another type, a rank that is not 2, or inner
// dimensions that differ.
Tensor MatMul(const Tensor& a, const Tensor& b, bool transpose_a = false,
              bool transpose_b = false);

// The same as float32. REQUIRES: no float64, and no GPU.
Tensor MatMulAsFloat32(const Tensor& a, const Tensor& b,
                       bool transpose_a = false, bool transpose_b = false);

namespace gpu {
inline constinit DeviceKernel<decltype(kernels::MatMul)> MatMul{"MatMul"};
}  // namespace gpu

}  // namespace lockstep::kernels

#endif  // LOCKSTEP_REFERENCE_KERNELS_MATMUL_H_
