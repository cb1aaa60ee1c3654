// Axes of shapes of which some are unknown until a layer is called.
#ifndef LOCKSTEP_REFERENCE_LAYERS_MAY_AGREE_H_
#define LOCKSTEP_REFERENCE_LAYERS_MAY_AGREE_H_

#include <cstdint>

#include "reference/tensor/shape.h"

namespace lockstep::layers_internal {

// Whether two axes are equal, or may be if one is unknown.
//
//   MayAgree(4, kUnknownDim);   // true
//   MayAgree(4, 5);             // false
inline bool MayAgree(int64_t a, int64_t b) {
  return a == b || a == kUnknownDim || b == kUnknownDim;
}

}  // namespace lockstep::layers_internal

#endif  // LOCKSTEP_REFERENCE_LAYERS_MAY_AGREE_H_
