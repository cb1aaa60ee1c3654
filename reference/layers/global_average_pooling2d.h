// The mean of each channel of images [N, H, W, C].
//
//   GlobalAveragePooling2D pool;
//   pool(images);   // [64, 7, 7, 2048] -> [64, 2048]
#ifndef LOCKSTEP_REFERENCE_LAYERS_GLOBAL_AVERAGE_POOLING2D_H_
#define LOCKSTEP_REFERENCE_LAYERS_GLOBAL_AVERAGE_POOLING2D_H_

#include <string>

#include "reference/layers/layer.h"

namespace lockstep {

struct GlobalAveragePooling2DOptions {
  bool keepdims = false;  // [64, 1, 1, 2048]
  std::string name = "";  // "global_average_pooling2d", ... by itself
};

class GlobalAveragePooling2D : public Layer {
 public:
  explicit GlobalAveragePooling2D(
      const GlobalAveragePooling2DOptions& options = {});

  Shape ComputeOutputShape(const Shape& input_shape) const override;

 protected:
  Tensor Call(const Tensor& x, bool training) override;

 private:
  bool keepdims_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_LAYERS_GLOBAL_AVERAGE_POOLING2D_H_
