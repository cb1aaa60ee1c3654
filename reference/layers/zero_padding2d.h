// Zeros around images [N, H, W, C].
//
//   ZeroPadding2D pad(3);
//   pad(images);                        // [64, 224, 224, 3] -> [64, 230, 230, 3]
//   ZeroPadding2D(Size2D(1, 2));        // one row, two columns on each side
//   ZeroPadding2D(Pad2DOptions{.bottom = 1});   // each side for itself
#ifndef LOCKSTEP_REFERENCE_LAYERS_ZERO_PADDING2D_H_
#define LOCKSTEP_REFERENCE_LAYERS_ZERO_PADDING2D_H_

#include <string>

#include "reference/kernels/pad2d.h"
#include "reference/layers/layer.h"
#include "reference/layers/size2d.h"

namespace lockstep {

class ZeroPadding2D : public Layer {
 public:
  // Without a name: "zero_padding2d", ... Errors: InvalidArgument for negative
  // numbers.
  explicit ZeroPadding2D(Size2D padding = 1, const std::string& name = "");
  explicit ZeroPadding2D(const kernels::Pad2DOptions& padding,
                         const std::string& name = "");

  Shape ComputeOutputShape(const Shape& input_shape) const override;

 protected:
  Tensor Call(const Tensor& x, bool training) override;

 private:
  kernels::Pad2DOptions padding_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_LAYERS_ZERO_PADDING2D_H_
