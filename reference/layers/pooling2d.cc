#include "reference/layers/pooling2d.h"

#include <algorithm>

#include "reference/autodiff/unique_name.h"
#include "reference/base/error.h"

namespace lockstep {

Pooling2D::Pooling2D(const char* operation, const char* keras_name,
                     Size2D pool_size, const Pooling2DOptions& options)
    : Layer(options.name.empty() ? UniqueName(keras_name) : options.name),
      operation_(operation),
      pool_{.pool = pool_size.ToArray(),
            .strides = options.strides.value_or(pool_size).ToArray(),
            .padding = options.padding} {
  if (std::ranges::min(pool_.pool) < 1 || std::ranges::min(pool_.strides) < 1) {
    throw InvalidArgument(
        "[{}] pool size and strides must be at least 1, got {} x {} and {} x "
        "{}",
        operation, pool_.pool[0], pool_.pool[1], pool_.strides[0],
        pool_.strides[1]);
  }
}

Shape Pooling2D::ComputeOutputShape(const Shape& input_shape) const {
  if (input_shape.rank() != 4) {
    throw InvalidArgument("[{}] images [N, H, W, C] are needed, got {}",
                          operation_, ToString(input_shape));
  }
  const auto outputs = [&](int axis) {
    return kernels::PlaceWindows(operation_, input_shape[axis],
                                 pool_.pool[axis - 1], pool_.strides[axis - 1],
                                 pool_.padding)
        .count;
  };
  return {input_shape[0], outputs(1), outputs(2), input_shape[3]};
}

}  // namespace lockstep
