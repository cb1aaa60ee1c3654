// Conversions between float32 and bfloat16 a vector at a time, with the bits
// that BFloat16's own give one by one.
#ifndef LOCKSTEP_REFERENCE_TENSOR_CAST_LOOP_H_
#define LOCKSTEP_REFERENCE_TENSOR_CAST_LOOP_H_

#include <cstdint>

#include "reference/tensor/narrow_float.h"

namespace lockstep {

void CastLoop(const float* from, BFloat16* to, int64_t count);
void CastLoop(const BFloat16* from, float* to, int64_t count);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_TENSOR_CAST_LOOP_H_
