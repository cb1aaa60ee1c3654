// The masks of dropout.
#ifndef LOCKSTEP_REFERENCE_KERNELS_RANDOM_DROPOUT_MASK_H_
#define LOCKSTEP_REFERENCE_KERNELS_RANDOM_DROPOUT_MASK_H_

#include <cstdint>

#include "reference/tensor/tensor.h"

namespace lockstep::kernels {

// A float32 tensor on the host. Each element is 0 with probability `rate`, else
// 1 / (1 - rate), so that the mean is 1.
//
//   DropoutMask(Shape{4}, 0.5, 42)   // [2, 0, 0, 2], for instance
//
// The same key gives the same mask on every machine and for every team size:
// each block of 4096 elements has its own stream (base/random.h). Errors:
// InvalidArgument for a rate outside [0, 1].
Tensor DropoutMask(const Shape& shape, double rate, uint64_t key);

}  // namespace lockstep::kernels

#endif  // LOCKSTEP_REFERENCE_KERNELS_RANDOM_DROPOUT_MASK_H_
