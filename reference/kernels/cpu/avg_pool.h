// Average pooling of one NHWC image and its gradient, all channels at once.
#ifndef LOCKSTEP_REFERENCE_KERNELS_CPU_AVG_POOL_H_
#define LOCKSTEP_REFERENCE_KERNELS_CPU_AVG_POOL_H_

#include "reference/kernels/cpu/pool_shape.h"

namespace lockstep::kernels_internal {

// Writes to y the mean of each window's elements that lie in the image.
void AvgPoolImage(const PoolShape& shape, const float* x, float* y);

// Writes dx: each dy in equal parts to the elements it is the mean of.
void SpreadImage(const PoolShape& shape, const float* dy, float* dx);

}  // namespace lockstep::kernels_internal

#endif  // LOCKSTEP_REFERENCE_KERNELS_CPU_AVG_POOL_H_
