// The maximum over windows of images [N, H, W, C].
//
//   MaxPooling2D pool;
//   pool(images);   // [64, 26, 26, 32] -> [64, 13, 13, 32]
#ifndef LOCKSTEP_REFERENCE_LAYERS_MAX_POOLING2D_H_
#define LOCKSTEP_REFERENCE_LAYERS_MAX_POOLING2D_H_

#include "reference/layers/pooling2d.h"

namespace lockstep {

using MaxPooling2DOptions = Pooling2DOptions;

class MaxPooling2D : public Pooling2D {
 public:
  // Errors: InvalidArgument for sizes or strides below 1.
  explicit MaxPooling2D(Size2D pool_size = 2,
                        const MaxPooling2DOptions& options = {});

 protected:
  Tensor Call(const Tensor& x, bool training) override;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_LAYERS_MAX_POOLING2D_H_
