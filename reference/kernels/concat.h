// Tensors one behind the other along an axis.
//
//   Concat({[[1], [2]], [[3], [4]]}, 1)   // [[1, 3], [2, 4]]
#ifndef LOCKSTEP_REFERENCE_KERNELS_CONCAT_H_
#define LOCKSTEP_REFERENCE_KERNELS_CONCAT_H_

#include <span>

#include "reference/kernels/device_kernel.h"
#include "reference/tensor/tensor.h"

namespace lockstep::kernels {

// Any type, strings too. Errors: InvalidArgument for no tensors, types that
// differ, shapes that differ elsewhere than in `axis`, an axis out of range
// (negative ones count from the end).
Tensor Concat(std::span<const Tensor> tensors, int axis);

// The GPU version, with 0 <= axis < rank and the shape of the result; see
// device_kernel.h.
namespace gpu {
inline constinit DeviceKernel<Tensor(std::span<const Tensor>, int,
                                     const Shape&)>
    Concat{"Concat"};
}  // namespace gpu

}  // namespace lockstep::kernels

#endif  // LOCKSTEP_REFERENCE_KERNELS_CONCAT_H_
