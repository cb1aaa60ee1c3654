#include "reference/layers/input_layer.h"

#include "reference/autodiff/unique_name.h"
#include "reference/base/error.h"

namespace lockstep {

InputLayer::InputLayer(const Shape& shape, const std::string& name)
    : Layer(name.empty() ? UniqueName("input_layer") : name,
            DTypePolicy("float32")),
      batch_shape_(shape.Prepend(kUnknownDim)) {}

Shape InputLayer::ComputeOutputShape(const Shape& input_shape) const {
  if (input_shape.rank() == 0 || input_shape.Tail() != batch_shape_.Tail()) {
    throw InvalidArgument("[Input] shape {} was declared, got {}",
                          ToString(batch_shape_), ToString(input_shape));
  }
  return input_shape;
}

Tensor InputLayer::Call(const Tensor& x, bool /*training*/) {
  ComputeOutputShape(x.shape());  // for its errors
  return x;
}

}  // namespace lockstep
