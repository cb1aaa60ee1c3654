// Overwrites a tensor, or leaves it, as a number in memory says: on a GPU
// without asking the host.
//
//   AssignWhere(Tensor::Scalar(true), moving, value);   // moving = value
#ifndef LOCKSTEP_REFERENCE_KERNELS_ASSIGN_WHERE_H_
#define LOCKSTEP_REFERENCE_KERNELS_ASSIGN_WHERE_H_

#include "reference/kernels/device_kernel.h"
#include "reference/tensor/tensor.h"

namespace lockstep::kernels {

// `condition` is a bool scalar. REQUIRES: nobody else holds the memory of
// `target`. Errors: InvalidArgument for strings, another condition, and types
// or shapes that differ.
void AssignWhere(const Tensor& condition, Tensor& target, const Tensor& value);

// The GPU version; see device_kernel.h.
namespace gpu {
inline constinit DeviceKernel<decltype(kernels::AssignWhere)> AssignWhere{
    "AssignWhere"};
}  // namespace gpu

}  // namespace lockstep::kernels

#endif  // LOCKSTEP_REFERENCE_KERNELS_ASSIGN_WHERE_H_
