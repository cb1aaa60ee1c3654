// Compares two tensors of one type and shape element by element.
//
//   Equal([1, 2], [1, 3])        // bool [true, false]
//   CountEqual([1, 2], [1, 3])   // 1
#ifndef LOCKSTEP_REFERENCE_KERNELS_EQUAL_H_
#define LOCKSTEP_REFERENCE_KERNELS_EQUAL_H_

#include <cstdint>

#include "reference/kernels/device_kernel.h"
#include "reference/tensor/tensor.h"

namespace lockstep::kernels {

// Any type; NaN equals nothing. Errors: InvalidArgument for types or shapes
// that differ.
Tensor Equal(const Tensor& a, const Tensor& b);
int64_t CountEqual(const Tensor& a, const Tensor& b);

// The GPU versions; see device_kernel.h.
namespace gpu {
inline constinit DeviceKernel<decltype(kernels::Equal)> Equal{"Equal"};
}  // namespace gpu

}  // namespace lockstep::kernels

#endif  // LOCKSTEP_REFERENCE_KERNELS_EQUAL_H_
