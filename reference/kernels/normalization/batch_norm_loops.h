// Vector loops of batch_norm.h over rows of `channels` elements: float, double,
// or BFloat16, which is computed as float and rounded once.
#ifndef LOCKSTEP_REFERENCE_KERNELS_NORMALIZATION_BATCH_NORM_LOOPS_H_
#define LOCKSTEP_REFERENCE_KERNELS_NORMALIZATION_BATCH_NORM_LOOPS_H_

#include <cstdint>

#include "reference/kernels/normalization/rows.h"
#include "reference/tensor/narrow_float.h"

namespace lockstep::kernels_internal {

// Adds each channel's sum and sum of squares.
template <typename T>
void AddMoments(Rows rows, const T* x, double* sums, double* squares);

// y = (x - mean) * scale + offset (+ addend), with one value per channel.
template <typename T>
struct Normalization {
  const T* mean;
  const T* scale;
  const T* offset;
};

// `addend` may be nullptr; with `relu` y = max(0, y), NaN stays NaN.
template <typename T>
void Normalize(Rows rows, const Normalization<ComputeType<T>>& channels,
               const T* x, const T* addend, bool relu, T* y);

// Adds each channel's sums of dz and of dz * (x - mean). dz is dy, or 0 where y
// is not positive. `y` is nullptr without ReLU.
template <typename T>
void AddGradientSums(Rows rows, const ComputeType<T>* mean, const T* x,
                     const T* y, const T* dy, double* sums, double* products);

// dx = dz * scale - shift - (x - mean) * slope, with one value per channel.
template <typename T>
struct NormalizationGradient {
  const T* mean;
  const T* scale;
  const T* shift;
  const T* slope;
};

// `y` as in AddGradientSums. Also writes dz to `dz`, unless that is nullptr.
template <typename T>
void NormalizeBackward(Rows rows,
                       const NormalizationGradient<ComputeType<T>>& channels,
                       const T* x, const T* y, const T* dy, T* dx, T* dz);

}  // namespace lockstep::kernels_internal

#endif  // LOCKSTEP_REFERENCE_KERNELS_NORMALIZATION_BATCH_NORM_LOOPS_H_
