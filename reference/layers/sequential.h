// Layers made of layers: one after the other, and beside a skip connection.
#ifndef LOCKSTEP_REFERENCE_LAYERS_SEQUENTIAL_H_
#define LOCKSTEP_REFERENCE_LAYERS_SEQUENTIAL_H_

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "reference/autodiff/trackable.h"
#include "reference/layers/layer.h"

namespace lockstep {

// A layer made of layers: its weights and penalties are theirs, in order.
class CompositeLayer : public Layer {
 public:
  const std::vector<LayerPtr>& layers() const { return layers_; }
  std::vector<VariablePtr> variables() const override;
  std::vector<Tensor> losses() const override;

 protected:
  using Layer::Layer;

  std::vector<LayerPtr> layers_;
};

}  // namespace lockstep

namespace lockstep::layers_internal {

// The checkpoint node "_functional" that Keras 3 puts between a Sequential and
// its layers: "_operations/0" is the input layer, "_operations/1" the first
// layer with work to do; the other nodes are empty lists and dictionaries that
// Keras tracks too.
class FunctionalNode : public Trackable {
 public:
  FunctionalNode();

  // The next operation. REQUIRES: `operation` lives as long as this does.
  void AddOperation(Trackable& operation) { operations_.Append(operation); }

 private:
  std::array<Trackable, 7> empty_;
  TrackableList operations_;
};

}  // namespace lockstep::layers_internal

namespace lockstep {

// The shape of a model's input, so that it can be built before it is called.
//
//   Sequential model({Input({28, 28, 1}), ...});   // weights are there at once
//
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

// Layers one after the other.
//
//   Sequential model({
//       std::make_shared<Conv2D>(
//           32, 3, Conv2DOptions{.activation = Activation::kRelu}),
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

// A skip connection: main(x) + shortcut(x), the unit of residual networks (He,
// Zhang, Ren and Sun, "Deep residual learning for image recognition", 2015).
//
//   Residual block(std::make_shared<Sequential>(...));    // relu(main(x) + x)
//   Residual(main, projection);             // relu(main(x) + projection(x))
//   Residual(main, nullptr, {.relu = false});             // main(x) + x
//
// Where `main` ends with a BatchNormalization the addition and the ReLU run in
// its kernel.
struct ResidualOptions {
  bool relu = true;
  std::string name = "";  // "residual", "residual_1", ... by itself
};

class Residual : public CompositeLayer {
 public:
  // Without a shortcut x itself is added. Errors: InvalidArgument without a
  // main layer.
  explicit Residual(LayerPtr main, LayerPtr shortcut = nullptr,
                    const ResidualOptions& options = {});

  // Errors: InvalidArgument where the two outputs have different shapes.
  Shape ComputeOutputShape(const Shape& input_shape) const override;

 protected:
  void MakeWeights(const Shape& input_shape) override;
  Tensor Call(const Tensor& x, bool training) override;

 private:
  Layer& main() const { return *layers_[0]; }
  Layer* shortcut() const {
    return layers_.size() > 1 ? layers_[1].get() : nullptr;
  }

  bool relu_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_LAYERS_SEQUENTIAL_H_
