// y = max(0, x) as a layer; NaN stays NaN.
//
//   ReLU()([-1, 2]);   // [0, 2]
//
// Behind a BatchNormalization in a Sequential both run as one kernel.
#ifndef LOCKSTEP_REFERENCE_LAYERS_RELU_H_
#define LOCKSTEP_REFERENCE_LAYERS_RELU_H_

#include <string>

#include "reference/layers/layer.h"

namespace lockstep {

class ReLU : public Layer {
 public:
  // Without a name: "re_lu", "re_lu_1", ... as Keras has it.
  explicit ReLU(const std::string& name = "");

  Shape ComputeOutputShape(const Shape& input_shape) const override;

 protected:
  Tensor Call(const Tensor& x, bool training) override;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_LAYERS_RELU_H_
