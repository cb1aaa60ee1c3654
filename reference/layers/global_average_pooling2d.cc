#include "reference/layers/global_average_pooling2d.h"

#include <array>

#include "reference/autodiff/ops/reduce.h"
#include "reference/autodiff/unique_name.h"
#include "reference/base/error.h"

namespace lockstep {

GlobalAveragePooling2D::GlobalAveragePooling2D(
    const GlobalAveragePooling2DOptions& options)
    : Layer(options.name.empty() ? UniqueName("global_average_pooling2d")
                                 : options.name),
      keepdims_(options.keepdims) {}

Shape GlobalAveragePooling2D::ComputeOutputShape(
    const Shape& input_shape) const {
  if (input_shape.rank() != 4) {
    throw InvalidArgument(
        "[GlobalAveragePooling2D] images [N, H, W, C] are needed, got {}",
        ToString(input_shape));
  }
  if (keepdims_) return {input_shape[0], 1, 1, input_shape[3]};
  return {input_shape[0], input_shape[3]};
}

Tensor GlobalAveragePooling2D::Call(const Tensor& x, bool /*training*/) {
  ComputeOutputShape(x.shape());  // for its error
  return ops::ReduceMean(x, std::array{1, 2}, keepdims_);
}

}  // namespace lockstep
