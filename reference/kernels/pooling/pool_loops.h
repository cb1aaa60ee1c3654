// Pooling of one NHWC image and its gradient, all channels at once.
#ifndef LOCKSTEP_REFERENCE_KERNELS_POOLING_POOL_LOOPS_H_
#define LOCKSTEP_REFERENCE_KERNELS_POOLING_POOL_LOOPS_H_

#include <cstdint>

#include "reference/kernels/windows.h"

namespace lockstep::kernels_internal {

// Writes to y the mean of each window's elements that lie in the image.
void AvgPoolImage(const PoolShape& shape, const float* x, float* y);

// Writes dx: each dy in equal parts to the elements it is the mean of.
void SpreadImage(const PoolShape& shape, const float* dy, float* dx);

// Writes maxima to y and their numbers in the window, row * pool[1] + column,
// to `winners`. Index is uint8_t or int32_t.
template <typename Index>
void MaxPoolImage(const PoolShape& shape, const float* x, float* y,
                  Index* winners);

// ReLU after it: y is at least 0, and the winner kReluCut where y is not
// positive.
void MaxPoolReluImage(const PoolShape& shape, const float* x, float* y,
                      uint8_t* winners);

// Writes dx: each dy where its winner stood, nothing for a kReluCut.
template <typename Index>
void UnpoolImage(const PoolShape& shape, const float* dy, const Index* winners,
                 float* dx);

}  // namespace lockstep::kernels_internal

#endif  // LOCKSTEP_REFERENCE_KERNELS_POOLING_POOL_LOOPS_H_
