#include "reference/layers/flatten.h"

#include "reference/autodiff/ops/reshape.h"
#include "reference/autodiff/unique_name.h"
#include "reference/base/error.h"

namespace lockstep {

Flatten::Flatten(const std::string& name)
    : Layer(name.empty() ? UniqueName("flatten") : name) {}

Shape Flatten::ComputeOutputShape(const Shape& input_shape) const {
  if (input_shape.rank() == 0 || !input_shape.Tail().fully_defined()) {
    throw InvalidArgument(
        "[Flatten] only the batch axis may be unknown, got {}",
        ToString(input_shape));
  }
  return {input_shape[0], input_shape.Tail().num_elements()};
}

Tensor Flatten::Call(const Tensor& x, bool /*training*/) {
  return ops::Flatten(x);
}

}  // namespace lockstep
