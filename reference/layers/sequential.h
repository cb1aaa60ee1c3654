// Layers one after the other.
//
//   Sequential model({
//       std::make_shared<Conv2D>(32, 3,
//                                Conv2DOptions{.activation = Activation::kRelu}),
//       std::make_shared<MaxPooling2D>(),
//       std::make_shared<Flatten>(),
//       std::make_shared<Dense>(10),
//   });
//   Tensor logits = model(images, /*training=*/true);
//
// With Input({28, 28, 1}) in front the weights are made at once, else by the
// first call or by Build. A Conv2D with ReLU followed by MaxPooling2D runs as
// one kernel, and so does a BatchNormalization followed by ReLU; results are
// those of the two layers. Classes derived from these run one by one: their
// Call may be another.
#ifndef LOCKSTEP_REFERENCE_LAYERS_SEQUENTIAL_H_
#define LOCKSTEP_REFERENCE_LAYERS_SEQUENTIAL_H_

#include <cstddef>
#include <string>
#include <vector>

#include "reference/layers/composite_layer.h"
#include "reference/layers/functional_node.h"

namespace lockstep {

class Sequential : public CompositeLayer {
 public:
  // Without a name: "sequential", "sequential_1", ...
  explicit Sequential(const std::vector<LayerPtr>& layers = {},
                      const std::string& name = "");

  // Errors: FailedPrecondition when the model is built, InvalidArgument for no
  // layer, one of a name the model has, an Input that is not the first.
  void Add(LayerPtr layer);

  Shape ComputeOutputShape(const Shape& input_shape) const override;

 protected:
  void MakeWeights(const Shape& input_shape) override;
  Tensor Call(const Tensor& x, bool training) override;
  Tensor CallFused(const Tensor& x, bool training,
                   const Epilogue& epilogue) override;
  Tensor CastInput(const Tensor& x) const override { return x; }

 private:
  void CheckAddable(const LayerPtr& layer) const;
  Tensor CallAll(const Tensor& x, bool training, const Epilogue& epilogue);
  // The layer in this place is a ReLU, the epilogue of the one before.
  bool IsRelu(size_t index) const;
  // The output of layer `index`, or of it and the next one as one kernel;
  // `index` is moved behind them. An epilogue is taken by the last layer.
  Tensor Step(const Tensor& x, bool training, const Epilogue& epilogue,
              size_t& index);

  Trackable input_node_;  // stands in for an Input that was not given
  layers_internal::FunctionalNode functional_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_LAYERS_SEQUENTIAL_H_
