// A differentiable function with weights; models are layers too.
//
//   Dense dense(10);
//   Tensor logits = dense(x);          // the first call makes the weights
//   dense.trainable_variables();       // kernel, bias
//   dense.losses();                    // penalties of regularised weights
//
// A Layer is a value that stands for the layer: its copies have the same
// weights. Dense, Conv2D and the others only say how it is made; what it does
// is written in a LayerImpl (layers/layer_impl.h), also for a layer of one's
// own.
//
// Under a strategy the replicas' threads share one layer and call it at once;
// its weights are mirrored variables, made while all replicas wait.
#ifndef LOCKSTEP_REFERENCE_LAYERS_LAYER_H_
#define LOCKSTEP_REFERENCE_LAYERS_LAYER_H_

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "reference/autodiff/trackable.h"
#include "reference/autodiff/variable.h"
#include "reference/layers/dtype_policy.h"
#include "reference/tensor/nest.h"
#include "reference/tensor/tensor.h"

namespace lockstep {

class LayerImpl;
struct SymbolicCall;

using ShapeStructure = Nest<Shape>;

// A place for a tensor in a model that is being put together: what Input gives,
// and what a layer gives that is called with such places.
//
//   SymbolicTensor x = Input({28, 28, 1});
//   SymbolicTensor y = Dense(10)(Flatten()(x));   // makes the weights
//   y.shape();                                    // [None, 10]
//   Model model(x, y);
class SymbolicTensor {
 public:
  SymbolicTensor() = default;  // stands for nothing
  // Result `index` of a call.
  SymbolicTensor(std::shared_ptr<const SymbolicCall> call, size_t index)
      : call_(std::move(call)), index_(index) {}

  // Axis 0, the batch, is unknown. Errors: InvalidArgument for nothing.
  const Shape& shape() const;
  // The call it comes from; nullptr for nothing.
  const SymbolicCall* call() const { return call_.get(); }
  size_t index() const { return index_; }

 private:
  std::shared_ptr<const SymbolicCall> call_;
  size_t index_ = 0;
};

// One of them, a tuple {x, y}, or any nest.
class SymbolicStructure : public Nest<SymbolicTensor> {
 public:
  SymbolicStructure(SymbolicTensor leaf)  // NOLINT
      : Nest<SymbolicTensor>(std::move(leaf)) {}
  SymbolicStructure(Nest<SymbolicTensor> nest)  // NOLINT
      : Nest<SymbolicTensor>(std::move(nest)) {}
  SymbolicStructure(std::initializer_list<Nest<SymbolicTensor>> items)
      : Nest<SymbolicTensor>(Tuple(items)) {}
};

class Layer {
 public:
  // Errors: InvalidArgument for nullptr.
  explicit Layer(std::shared_ptr<LayerImpl> impl);
  // What Input gives is the first layer of a Sequential. Errors: InvalidArgument
  // for what a layer gave.
  Layer(const SymbolicTensor& input);  // NOLINT

  // Every tensor has the batch as axis 0; a floating one is cast to the compute
  // type. Errors: InvalidArgument for shapes, types and structures the layer
  // cannot take.
  //
  // A tensor for a tensor; a layer that gives more is called with Structure(x):
  // InvalidArgument.
  Tensor operator()(const Tensor& x, bool training = false) const;
  Structure operator()(const Structure& inputs, bool training = false) const;
  // A tuple: layer({x, y}).
  Structure operator()(const std::vector<Structure>& inputs,
                       bool training = false) const {
    return (*this)(Structure::Tuple(inputs), training);
  }

  // Makes the weights, and gives places for what the layer will give.
  SymbolicTensor operator()(const SymbolicTensor& x) const;
  SymbolicStructure operator()(const SymbolicStructure& inputs) const;

  const std::string& name() const;
  bool built() const;
  const DTypePolicy& dtype_policy() const;

  // Makes the weights for inputs of these shapes, whose axis 0 may be unknown.
  // No effect when they are there. Errors: InvalidArgument.
  void Build(const ShapeStructure& input_shapes) const;

  // Shapes of what it gives; axis 0 may be unknown. Errors: InvalidArgument.
  Shape ComputeOutputShape(const Shape& input_shape) const;
  ShapeStructure ComputeOutputShape(const ShapeStructure& input_shapes) const;

  // Weights that training leaves as they are, with all that the layer is made
  // of: trainable_variables() are without them, and BatchNormalization takes the
  // moving moments and does not move them, as in Keras. To be said before a model
  // is compiled with the layer.
  void SetTrainable(bool trainable) const;
  bool trainable() const;

  // Weights in the order they were made; none before the layer is built. A
  // layer that a model uses twice counts once.
  std::vector<VariablePtr> variables() const;
  std::vector<VariablePtr> trainable_variables() const;
  std::vector<VariablePtr> non_trainable_variables() const;

  // The penalty of each regularised weight, in order; differentiable.
  std::vector<Tensor> losses() const;

  // What a checkpoint is told of; lives as long as some copy of this.
  //
  //   Checkpoint checkpoint({{"model", model.trackable()}});
  Trackable* trackable() const;

  LayerImpl& impl() const { return *impl_; }
  const std::shared_ptr<LayerImpl>& shared_impl() const { return impl_; }

 private:
  std::shared_ptr<LayerImpl> impl_;
};

// A layer of one's own.
//
//   class DoublingImpl : public TensorLayerImpl {...};
//   Layer doubling = MakeLayer<DoublingImpl>();
template <typename Impl, typename... Args>
Layer MakeLayer(Args&&... args) {
  return Layer(std::make_shared<Impl>(std::forward<Args>(args)...));
}

// Where a tensor enters a model; `shape` is that of one example, without the
// batch axis.
//
//   Sequential model({Input({28, 28, 1}), ...});   // weights are there at once
//
// Without a name: "input_layer", "input_layer_1", ... A call with another shape
// is InvalidArgument.
SymbolicTensor Input(const Shape& shape, const std::string& name = "");

// A layer's call, as models know it.
struct SymbolicCall {
  std::shared_ptr<LayerImpl> layer;  // nullptr for the input of a Sequential
  Nest<SymbolicTensor> inputs;       // none where a tensor enters
  ShapeStructure outputs;
  bool is_input = false;

  // A place where a tensor enters.
  static SymbolicTensor Enter(std::shared_ptr<LayerImpl> layer,
                              const Shape& shape);
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_LAYERS_LAYER_H_
