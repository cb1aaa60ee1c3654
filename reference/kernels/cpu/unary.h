// Vector loops of unary.h, relu.h and scale.h.
#ifndef LOCKSTEP_REFERENCE_KERNELS_CPU_UNARY_H_
#define LOCKSTEP_REFERENCE_KERNELS_CPU_UNARY_H_

#include <cstdint>

namespace lockstep::kernels_internal {

enum class UnaryOp { kNegate, kAbs, kSquare, kSign, kSqrt, kRelu };

// y[i] = op(x[i]); float, double or, computed in float and rounded, BFloat16.
template <typename T>
void UnaryLoop(UnaryOp op, const T* x, T* y, int64_t count);

// dx[i] = y[i] > 0 ? dy[i] : 0; float, double or BFloat16.
template <typename T>
void ReluBackwardLoop(const T* y, const T* dy, T* dx, int64_t count);

}  // namespace lockstep::kernels_internal

#endif  // LOCKSTEP_REFERENCE_KERNELS_CPU_UNARY_H_
