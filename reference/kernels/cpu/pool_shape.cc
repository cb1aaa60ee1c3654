#include "reference/kernels/cpu/pool_shape.h"

#include "reference/base/error.h"

namespace lockstep::kernels_internal {

PoolShape MakePoolShape(const char* operation, const Shape& x,
                        const kernels::Pool2DOptions& options) {
  if (x.rank() != 4) {
    throw InvalidArgument("[{}] x must have rank 4, got {}", operation,
                          ToString(x));
  }
  const auto place = [&](int i) {
    return kernels::PlaceWindows(operation, x[i + 1], options.pool[i],
                                 options.strides[i], options.padding);
  };
  return {x[1], x[2], x[3], place(0), place(1), options.pool, options.strides};
}

}  // namespace lockstep::kernels_internal
