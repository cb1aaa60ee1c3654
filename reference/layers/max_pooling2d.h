// The maximum over windows of images [N, H, W, C].
//
//   MaxPooling2D pool;
//   pool(images);   // [64, 26, 26, 32] -> [64, 13, 13, 32]
#ifndef LOCKSTEP_REFERENCE_LAYERS_MAX_POOLING2D_H_
#define LOCKSTEP_REFERENCE_LAYERS_MAX_POOLING2D_H_

#include <optional>
#include <string>

#include "reference/kernels/max_pool2d.h"
#include "reference/layers/layer.h"
#include "reference/layers/size2d.h"

namespace lockstep {

struct MaxPooling2DOptions {
  std::optional<Size2D> strides = std::nullopt;  // the pool size
  kernels::Padding padding = kernels::Padding::kValid;
  std::string name = "";  // "max_pooling2d", ... by itself
};

class MaxPooling2D : public Layer {
 public:
  // Errors: InvalidArgument for sizes or strides below 1.
  explicit MaxPooling2D(Size2D pool_size = 2,
                        const MaxPooling2DOptions& options = {});

  const kernels::MaxPool2DOptions& pool() const { return pool_; }
  Shape ComputeOutputShape(const Shape& input_shape) const override;

 protected:
  Tensor Call(const Tensor& x, bool training) override;

 private:
  kernels::MaxPool2DOptions pool_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_LAYERS_MAX_POOLING2D_H_
