// numpy's rule for two shapes: aligned at the last axis, equal or 1.
//
//   BroadcastShape("Add", Shape{2, 1}, Shape{3});   // (2, 3)
#ifndef LOCKSTEP_REFERENCE_KERNELS_BROADCAST_SHAPE_H_
#define LOCKSTEP_REFERENCE_KERNELS_BROADCAST_SHAPE_H_

#include <string_view>

#include "reference/tensor/shape.h"

namespace lockstep::kernels {

// Errors: InvalidArgument, naming `operation`, when there is none.
Shape BroadcastShape(std::string_view operation, const Shape& a,
                     const Shape& b);

}  // namespace lockstep::kernels

#endif  // LOCKSTEP_REFERENCE_KERNELS_BROADCAST_SHAPE_H_
