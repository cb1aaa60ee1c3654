#include "reference/autodiff/ops/pad2d.h"

#include "reference/autodiff/gradient_tape.h"

namespace lockstep::ops {

Tensor Pad2D(const Tensor& x, const kernels::Pad2DOptions& options) {
  Tensor y = kernels::Pad2D(x, options);
  RecordOperation({x}, y, [options](const Tensor& dy, std::span<const bool>) {
    return Gradients{kernels::Pad2DBackward(dy, options)};
  });
  return y;
}

}  // namespace lockstep::ops
