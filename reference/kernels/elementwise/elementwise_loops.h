// Vector loops of unary.h, binary.h, gelu.h and in_place.h.
#ifndef LOCKSTEP_REFERENCE_KERNELS_ELEMENTWISE_ELEMENTWISE_LOOPS_H_
#define LOCKSTEP_REFERENCE_KERNELS_ELEMENTWISE_ELEMENTWISE_LOOPS_H_

#include <cstdint>

#include "reference/kernels/elementwise/element_math.h"

namespace lockstep::kernels_internal {

// y[i] = op(x[i]). float, double, or BFloat16, which is computed in float and
// rounded. REQUIRES: op is not an exponential function.
template <typename T>
void UnaryLoop(UnaryOp op, const T* x, T* y, int64_t count);

// The same for exponential functions. float or double.
template <typename T>
void ExponentialLoop(UnaryOp op, const T* x, T* y, int64_t count);

// dx[i] = y[i] > 0 ? dy[i] : 0. float, double or BFloat16.
template <typename T>
void ReluBackwardLoop(const T* y, const T* dy, T* dx, int64_t count);

// y[i] = x[i] P(x[i]) of the tanh form in gelu.h, and its gradient. float or
// double.
template <typename T>
void GeluTanhLoop(const T* x, T* y, int64_t count);
template <typename T>
void GeluTanhBackwardLoop(const T* x, const T* dy, T* dx, int64_t count);

// One row of a broadcast: out[i] = a[i * a_stride] op b[i * b_stride]. BFloat16
// is computed in float and rounded. REQUIRES: strides 0 or 1; a floating type
// for division.
template <typename T>
void BinaryRow(BinaryOp op, const T* a, int64_t a_stride, const T* b,
               int64_t b_stride, T* out, int64_t count);

}  // namespace lockstep::kernels_internal

#endif  // LOCKSTEP_REFERENCE_KERNELS_ELEMENTWISE_ELEMENTWISE_LOOPS_H_
