// What the 2-D pooling layers have in common: their windows and shapes.
#ifndef LOCKSTEP_REFERENCE_LAYERS_POOLING2D_H_
#define LOCKSTEP_REFERENCE_LAYERS_POOLING2D_H_

#include <optional>
#include <string>

#include "reference/kernels/pool2d_options.h"
#include "reference/layers/layer.h"
#include "reference/layers/size2d.h"

namespace lockstep {

struct Pooling2DOptions {
  std::optional<Size2D> strides = std::nullopt;  // the pool size
  kernels::Padding padding = kernels::Padding::kValid;
  std::string name = "";  // "max_pooling2d", ... by itself
};

class Pooling2D : public Layer {
 public:
  const kernels::Pool2DOptions& pool() const { return pool_; }
  Shape ComputeOutputShape(const Shape& input_shape) const override;

 protected:
  // `keras_name` is the layer's name unless the options say another.
  // Errors: InvalidArgument, naming `operation`, for sizes or strides below 1.
  Pooling2D(const char* operation, const char* keras_name, Size2D pool_size,
            const Pooling2DOptions& options);

 private:
  const char* operation_;
  kernels::Pool2DOptions pool_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_LAYERS_POOLING2D_H_
