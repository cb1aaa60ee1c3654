// Parts of a float32 or bfloat16 tensor for kernels that compute with floats, a
// part at a time, so that what is widened stays in the core's cache.
//
//   const float* in = ReadFloats(x, i * n, n, room);   // x itself, or room
//   float* out = PlaceFloats(y, i * n, other_room);
//   Compute(in, out, n);
//   KeepFloats(out, y, i * n, n);                      // rounds, once
#ifndef LOCKSTEP_REFERENCE_KERNELS_CPU_FLOAT_PARTS_H_
#define LOCKSTEP_REFERENCE_KERNELS_CPU_FLOAT_PARTS_H_

#include <cstdint>

#include "reference/tensor/tensor.h"

namespace lockstep::kernels_internal {

// Elements first .. first + count - 1. `room` has as many floats.
const float* ReadFloats(const Tensor& tensor, int64_t first, int64_t count,
                        float* room);

// Where the floats from element `first` on are to be written.
float* PlaceFloats(Tensor& tensor, int64_t first, float* room);

// Brings what was written where PlaceFloats said to the tensor.
void KeepFloats(const float* written, Tensor& tensor, int64_t first,
                int64_t count);

}  // namespace lockstep::kernels_internal

#endif  // LOCKSTEP_REFERENCE_KERNELS_CPU_FLOAT_PARTS_H_
