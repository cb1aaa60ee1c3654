// Operations that change a tensor in place.
#ifndef LOCKSTEP_REFERENCE_KERNELS_ELEMENTWISE_IN_PLACE_H_
#define LOCKSTEP_REFERENCE_KERNELS_ELEMENTWISE_IN_PLACE_H_

#include "reference/kernels/device_kernel.h"
#include "reference/tensor/tensor.h"

namespace lockstep::kernels {

// Adds a tensor to another, or subtracts it.
//
//   AddInPlace(sum, part);        // sum += part
//   SubtractInPlace(sum, part);   // sum -= part
//
// Numbers of any type; integers wrap around. REQUIRES: no other tensor shares
// the memory of `target`. Errors: InvalidArgument for bool and string, and for
// different types or shapes.
void AddInPlace(Tensor& target, const Tensor& delta);
void SubtractInPlace(Tensor& target, const Tensor& delta);

// Overwrites a tensor if a condition in memory is true. On a GPU the host does
// not wait for the condition.
//
//   AssignWhere(Tensor::Scalar(true), moving, value);   // moving = value
//
// `condition` is a bool scalar. REQUIRES: no other tensor shares the memory of
// `target`. Errors: InvalidArgument for strings, another condition, and
// different types or shapes.
void AssignWhere(const Tensor& condition, Tensor& target, const Tensor& value);

// GPU versions; see device_kernel.h.
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
