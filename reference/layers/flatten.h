// All axes but the batch become one: [64, 5, 5, 64] -> [64, 1600].
#ifndef LOCKSTEP_REFERENCE_LAYERS_FLATTEN_H_
#define LOCKSTEP_REFERENCE_LAYERS_FLATTEN_H_

#include <string>

#include "reference/layers/layer.h"

namespace lockstep {

class Flatten : public Layer {
 public:
  // Without a name: "flatten", "flatten_1", ...
  explicit Flatten(const std::string& name = "");

  Shape ComputeOutputShape(const Shape& input_shape) const override;

 protected:
  Tensor Call(const Tensor& x, bool training) override;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_LAYERS_FLATTEN_H_
