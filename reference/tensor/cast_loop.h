// Vectorized conversions between float32 and bfloat16, with the same bits as
// those of BFloat16.
#ifndef LOCKSTEP_REFERENCE_TENSOR_CAST_LOOP_H_
#define LOCKSTEP_REFERENCE_TENSOR_CAST_LOOP_H_

#include <cstdint>

#include "reference/tensor/narrow_float.h"

namespace lockstep {

void CastLoop(const float* from, BFloat16* to, int64_t count);
void CastLoop(const BFloat16* from, float* to, int64_t count);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_TENSOR_CAST_LOOP_H_
