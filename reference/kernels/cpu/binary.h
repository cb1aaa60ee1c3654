// Vector loops of binary.h: one row of a broadcast, strides 0 or 1.
#ifndef LOCKSTEP_REFERENCE_KERNELS_CPU_BINARY_H_
#define LOCKSTEP_REFERENCE_KERNELS_CPU_BINARY_H_

#include <cstdint>

namespace lockstep::kernels_internal {

enum class BinaryOp { kAdd, kSubtract, kMultiply, kDivide };

// out[i] = a[i * a_stride] op b[i * b_stride]. REQUIRES: strides 0 or 1.
// Division is for floating types only; BFloat16 is computed in float and
// rounded.
template <typename T>
void BinaryRow(BinaryOp op, const T* a, int64_t a_stride, const T* b,
               int64_t b_stride, T* out, int64_t count);

}  // namespace lockstep::kernels_internal

#endif  // LOCKSTEP_REFERENCE_KERNELS_CPU_BINARY_H_
