#include "reference/layers/max_pooling2d.h"

#include <algorithm>

#include "reference/autodiff/ops/convolution.h"
#include "reference/autodiff/unique_name.h"
#include "reference/base/error.h"

namespace lockstep {

MaxPooling2D::MaxPooling2D(Size2D pool_size, const MaxPooling2DOptions& options)
    : Layer(options.name.empty() ? UniqueName("max_pooling2d") : options.name),
      pool_{.pool = pool_size.ToArray(),
            .strides = options.strides.value_or(pool_size).ToArray(),
            .padding = options.padding} {
  if (std::ranges::min(pool_.pool) < 1 || std::ranges::min(pool_.strides) < 1) {
    throw InvalidArgument(
        "[MaxPooling2D] pool size and strides must be at least 1, got {} x {} "
        "and {} x {}",
        pool_.pool[0], pool_.pool[1], pool_.strides[0], pool_.strides[1]);
  }
}

Shape MaxPooling2D::ComputeOutputShape(const Shape& input_shape) const {
  if (input_shape.rank() != 4) {
    throw InvalidArgument(
        "[MaxPooling2D] images [N, H, W, C] are needed, got {}",
        ToString(input_shape));
  }
  const auto outputs = [&](int axis) {
    return kernels::PlaceWindows("MaxPooling2D", input_shape[axis],
                                 pool_.pool[axis - 1], pool_.strides[axis - 1],
                                 pool_.padding)
        .count;
  };
  return {input_shape[0], outputs(1), outputs(2), input_shape[3]};
}

Tensor MaxPooling2D::Call(const Tensor& x, bool /*training*/) {
  return ops::MaxPool2D(x, pool_);
}

}  // namespace lockstep
