// Zeros around images x [N, H, W, C].
//
//   x = [[1, 2]] as [1, 1, 2, 1]
//   Pad2D(x, {.top = 1, .right = 1})              // [[0, 0, 0], [1, 2, 0]]
//   Pad2DBackward(dy, {.top = 1, .right = 1})     // dy without its rim
#ifndef LOCKSTEP_REFERENCE_KERNELS_PAD2D_H_
#define LOCKSTEP_REFERENCE_KERNELS_PAD2D_H_

#include <cstdint>

#include "reference/kernels/device_kernel.h"
#include "reference/tensor/tensor.h"

namespace lockstep::kernels {

// Rows and columns of zeros on each side.
struct Pad2DOptions {
  int64_t top = 0;
  int64_t bottom = 0;
  int64_t left = 0;
  int64_t right = 0;
};

// Numeric types. Errors of both: InvalidArgument for other types and ranks,
// negative numbers, and a dy smaller than its rim.
Tensor Pad2D(const Tensor& x, const Pad2DOptions& options);
Tensor Pad2DBackward(const Tensor& dy, const Pad2DOptions& options);

namespace gpu {
inline constinit DeviceKernel<decltype(kernels::Pad2D)> Pad2D{"Pad2D"};
inline constinit DeviceKernel<decltype(kernels::Pad2DBackward)> Pad2DBackward{
    "Pad2DBackward"};
}  // namespace gpu

}  // namespace lockstep::kernels

#endif  // LOCKSTEP_REFERENCE_KERNELS_PAD2D_H_
