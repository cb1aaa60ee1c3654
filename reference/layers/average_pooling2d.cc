#include "reference/layers/average_pooling2d.h"

#include "reference/autodiff/ops/convolution.h"

namespace lockstep {

AveragePooling2D::AveragePooling2D(Size2D pool_size,
                                   const AveragePooling2DOptions& options)
    : Pooling2D("AveragePooling2D", "average_pooling2d", pool_size, options) {}

Tensor AveragePooling2D::Call(const Tensor& x, bool /*training*/) {
  return ops::AvgPool2D(x, pool());
}

}  // namespace lockstep
