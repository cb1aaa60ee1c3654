#include "reference/layers/max_pooling2d.h"

#include "reference/autodiff/ops/convolution.h"

namespace lockstep {

MaxPooling2D::MaxPooling2D(Size2D pool_size, const MaxPooling2DOptions& options)
    : Pooling2D("MaxPooling2D", "max_pooling2d", pool_size, options) {}

Tensor MaxPooling2D::Call(const Tensor& x, bool /*training*/) {
  return ops::MaxPool2D(x, pool());
}

}  // namespace lockstep
