// Softmax of one row and its gradient, as vector loops.
#ifndef LOCKSTEP_REFERENCE_KERNELS_NORMALIZATION_SOFTMAX_ROWS_H_
#define LOCKSTEP_REFERENCE_KERNELS_NORMALIZATION_SOFTMAX_ROWS_H_

#include <cstdint>

namespace lockstep::kernels_internal {

// The sum of a row's exponentials: e^top * sum.
struct ExponentialSum {
  double top;  // the largest element
  double sum;  // of e^(x - top)
};

// Writes the softmax of a row, e^x / sum(e^x), to y. Subtracts the largest
// element first to prevent overflow; sums are float64. T is float or double.
// REQUIRES: count >= 1.
template <typename T>
ExponentialSum SoftmaxRow(const T* x, T* y, int64_t count);

// Writes y * (dy - sum(y * dy)) to dx.
template <typename T>
void SoftmaxBackwardRow(const T* y, const T* dy, T* dx, int64_t count);

}  // namespace lockstep::kernels_internal

#endif  // LOCKSTEP_REFERENCE_KERNELS_NORMALIZATION_SOFTMAX_ROWS_H_
