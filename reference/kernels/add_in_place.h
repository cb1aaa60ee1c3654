// One tensor added to another, or taken from it, in the memory it has.
//
//   AddInPlace(sum, part);        // sum += part
//   SubtractInPlace(sum, part);   // sum -= part
#ifndef LOCKSTEP_REFERENCE_KERNELS_ADD_IN_PLACE_H_
#define LOCKSTEP_REFERENCE_KERNELS_ADD_IN_PLACE_H_

#include "reference/kernels/device_kernel.h"
#include "reference/tensor/tensor.h"

namespace lockstep::kernels {

// Numbers of any type; integers wrap around. REQUIRES: nobody else holds the
// memory of `target`. Errors: InvalidArgument for bool and string, and for
// types or shapes that differ.
void AddInPlace(Tensor& target, const Tensor& delta);
void SubtractInPlace(Tensor& target, const Tensor& delta);

// The GPU versions; see device_kernel.h.
namespace gpu {
inline constinit DeviceKernel<decltype(kernels::AddInPlace)> AddInPlace{
    "AddInPlace"};
inline constinit DeviceKernel<decltype(kernels::SubtractInPlace)>
    SubtractInPlace{"SubtractInPlace"};
}  // namespace gpu

}  // namespace lockstep::kernels

#endif  // LOCKSTEP_REFERENCE_KERNELS_ADD_IN_PLACE_H_
