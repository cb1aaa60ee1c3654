// The shape of what Gather gives.
#ifndef LOCKSTEP_REFERENCE_KERNELS_GATHERED_SHAPE_H_
#define LOCKSTEP_REFERENCE_KERNELS_GATHERED_SHAPE_H_

#include <vector>

#include "reference/tensor/shape.h"

namespace lockstep::kernels_internal {

// That of the indices, then that of a row: (2, 3) and (10, 4) give (2, 3, 4).
// REQUIRES: params.rank() > 0.
inline Shape GatheredShape(const Shape& indices, const Shape& params) {
  const auto head = indices.dims();
  const auto tail = params.dims().subspan(1);
  std::vector<int64_t> dims(head.begin(), head.end());
  dims.insert(dims.end(), tail.begin(), tail.end());
  return Shape(dims);
}

}  // namespace lockstep::kernels_internal

#endif  // LOCKSTEP_REFERENCE_KERNELS_GATHERED_SHAPE_H_
