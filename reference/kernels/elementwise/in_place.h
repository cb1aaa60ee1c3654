// Tensors that are changed in the memory they have.
#ifndef LOCKSTEP_REFERENCE_KERNELS_ELEMENTWISE_IN_PLACE_H_
#define LOCKSTEP_REFERENCE_KERNELS_ELEMENTWISE_IN_PLACE_H_

#include "reference/kernels/device_kernel.h"
#include "reference/tensor/tensor.h"

namespace lockstep::kernels {

// One tensor added to another, or taken from it.
//
//   AddInPlace(sum, part);        // sum += part
//   SubtractInPlace(sum, part);   // sum -= part
//
// Numbers of any type; integers wrap around. REQUIRES: nobody else holds the
// memory of `target`. Errors: InvalidArgument for bool and string, and for
// types or shapes that differ.
void AddInPlace(Tensor& target, const Tensor& delta);
void SubtractInPlace(Tensor& target, const Tensor& delta);

// Overwrites a tensor, or leaves it, as a number in memory says: on a GPU
// without asking the host.
//
//   AssignWhere(Tensor::Scalar(true), moving, value);   // moving = value
//
// `condition` is a bool scalar. REQUIRES: nobody else holds the memory of
// `target`. Errors: InvalidArgument for strings, another condition, and types
// or shapes that differ.
void AssignWhere(const Tensor& condition, Tensor& target, const Tensor& value);

// The GPU versions; see device_kernel.h.
namespace gpu {
inline constinit DeviceKernel<decltype(kernels::AddInPlace)> AddInPlace{
    "AddInPlace"};
inline constinit DeviceKernel<decltype(kernels::SubtractInPlace)>
    SubtractInPlace{"SubtractInPlace"};
inline constinit DeviceKernel<decltype(kernels::AssignWhere)> AssignWhere{
    "AssignWhere"};
}  // namespace gpu

}  // namespace lockstep::kernels

#endif  // LOCKSTEP_REFERENCE_KERNELS_ELEMENTWISE_IN_PLACE_H_
