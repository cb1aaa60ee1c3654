// The shape of a model's input, so that it can be built before it is called.
//
//   Sequential model({Input({28, 28, 1}), ...});   // weights are there at once
#ifndef LOCKSTEP_REFERENCE_LAYERS_INPUT_LAYER_H_
#define LOCKSTEP_REFERENCE_LAYERS_INPUT_LAYER_H_

#include <memory>
#include <string>

#include "reference/layers/layer.h"

namespace lockstep {

// Passes its input through. Errors: InvalidArgument for another shape.
class InputLayer : public Layer {
 public:
  // `shape` is that of one example, without the batch axis.
  explicit InputLayer(const Shape& shape, const std::string& name = "");

  // With an unknown batch axis.
  const Shape& batch_shape() const { return batch_shape_; }
  Shape ComputeOutputShape(const Shape& input_shape) const override;

 protected:
  Tensor Call(const Tensor& x, bool training) override;

 private:
  Shape batch_shape_;
};

inline LayerPtr Input(const Shape& shape) {
  return std::make_shared<InputLayer>(shape);
}

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_LAYERS_INPUT_LAYER_H_
