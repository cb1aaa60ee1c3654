#include "reference/layers/zero_padding2d.h"

#include <algorithm>

#include "reference/autodiff/ops/pad2d.h"
#include "reference/autodiff/unique_name.h"
#include "reference/base/error.h"

namespace lockstep {

ZeroPadding2D::ZeroPadding2D(Size2D padding, const std::string& name)
    : ZeroPadding2D(kernels::Pad2DOptions{.top = padding.rows,
                                          .bottom = padding.rows,
                                          .left = padding.columns,
                                          .right = padding.columns},
                    name) {}

ZeroPadding2D::ZeroPadding2D(const kernels::Pad2DOptions& padding,
                             const std::string& name)
    : Layer(name.empty() ? UniqueName("zero_padding2d") : name),
      padding_(padding) {
  if (std::min({padding.top, padding.bottom, padding.left, padding.right}) <
      0) {
    throw InvalidArgument(
        "[ZeroPadding2D] padding must not be negative, got {}, {}, {}, {} "
        "(top, bottom, left, right)",
        padding.top, padding.bottom, padding.left, padding.right);
  }
}

Shape ZeroPadding2D::ComputeOutputShape(const Shape& input_shape) const {
  if (input_shape.rank() != 4) {
    throw InvalidArgument(
        "[ZeroPadding2D] images [N, H, W, C] are needed, got {}",
        ToString(input_shape));
  }
  return {input_shape[0], input_shape[1] + padding_.top + padding_.bottom,
          input_shape[2] + padding_.left + padding_.right, input_shape[3]};
}

Tensor ZeroPadding2D::Call(const Tensor& x, bool /*training*/) {
  return ops::Pad2D(x, padding_);
}

}  // namespace lockstep
