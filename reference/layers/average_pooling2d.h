// The mean over windows of images [N, H, W, C]; padding does not count.
//
//   AveragePooling2D pool(2);
//   pool(images);   // [64, 26, 26, 32] -> [64, 13, 13, 32]
#ifndef LOCKSTEP_REFERENCE_LAYERS_AVERAGE_POOLING2D_H_
#define LOCKSTEP_REFERENCE_LAYERS_AVERAGE_POOLING2D_H_

#include "reference/layers/pooling2d.h"

namespace lockstep {

using AveragePooling2DOptions = Pooling2DOptions;

class AveragePooling2D : public Pooling2D {
 public:
  // Errors: InvalidArgument for sizes or strides below 1.
  explicit AveragePooling2D(Size2D pool_size,
                            const AveragePooling2DOptions& options = {});

 protected:
  Tensor Call(const Tensor& x, bool training) override;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_LAYERS_AVERAGE_POOLING2D_H_
