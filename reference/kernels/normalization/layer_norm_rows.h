// Layer normalization of one row and its gradient, as vector loops.
#ifndef LOCKSTEP_REFERENCE_KERNELS_NORMALIZATION_LAYER_NORM_ROWS_H_
#define LOCKSTEP_REFERENCE_KERNELS_NORMALIZATION_LAYER_NORM_ROWS_H_

#include <cstdint>

namespace lockstep::kernels_internal {

template <typename T>
struct RowMoments {
  T mean;
  T scale;  // 1 / sqrt(variance + epsilon)
};

// Writes (x - mean) * scale * gamma + beta to y; gamma and beta may be
// nullptr. Sums are float64. T is float or double. REQUIRES: count >= 1.
template <typename T>
RowMoments<T> LayerNormRow(const T* x, const T* gamma, const T* beta,
                           double epsilon, T* y, int64_t count);

// What the gradient of a row needs; gamma may be nullptr.
template <typename T>
struct NormalizedRow {
  const T* x;
  const T* gamma;
  RowMoments<T> moments;
};

// Writes the gradient of x for `dy`, and adds those of gamma and beta.
template <typename T>
void LayerNormBackwardRow(const NormalizedRow<T>& row, const T* dy, T* dx,
                          double* dgamma, double* dbeta, int64_t count);

}  // namespace lockstep::kernels_internal

#endif  // LOCKSTEP_REFERENCE_KERNELS_NORMALIZATION_LAYER_NORM_ROWS_H_
