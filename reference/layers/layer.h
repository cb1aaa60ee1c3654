// A differentiable function with weights; models are layers too.
//
//   Dense dense(10);
//   Tensor logits = dense(x);          // the first call makes the weights
//   dense.trainable_variables();       // kernel, bias
//   dense.losses();                    // penalties of regularised weights
//
// A Layer is a handle: its copies share the weights. Dense, Conv2D and the
// others only construct it; a LayerImpl (layers/layer_impl.h) implements it,
// also for user-defined layers.
//
// Under a strategy the replicas' threads share one layer and call it
// concurrently. Its weights are mirrored variables, created while all replicas
// wait. So make layers before Run, in the strategy's scope: one made inside Run
// would be another one on each of several replicas.
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

// A symbolic tensor of a model under construction: the result of Input, or of a
// layer called with symbolic tensors.
//
//   SymbolicTensor x = Input({28, 28, 1});
//   SymbolicTensor y = Dense(10)(Flatten()(x));   // creates the weights
//   y.shape();                                    // [None, 10]
//   Model model(x, y);
class SymbolicTensor {
 public:
  SymbolicTensor() = default;  // null
  // Result `index` of `call`.
  SymbolicTensor(std::shared_ptr<const SymbolicCall> call, size_t index)
      : call_(std::move(call)), index_(index) {}

  // Axis 0, the batch, is unknown. Errors: InvalidArgument for a null one.
  const Shape& shape() const;
  // The call it is a result of; nullptr for a null one.
  const SymbolicCall* call() const { return call_.get(); }
  size_t index() const { return index_; }

 private:
  std::shared_ptr<const SymbolicCall> call_;
  size_t index_ = 0;
};

// A symbolic tensor, a tuple {x, y}, or any nest.
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
  // The result of Input, as the first layer of a Sequential. Errors:
  // InvalidArgument for a layer's result.
  Layer(const SymbolicTensor& input);  // NOLINT

  // Axis 0 of every tensor is the batch. Floating tensors are cast to the
  // compute type. Errors: InvalidArgument for shapes, types and structures that
  // the layer does not accept; those of Build at the first call.
  //
  // From tensor to tensor. Errors: InvalidArgument for layers with several
  // results; call them with Structure(x).
  Tensor operator()(const Tensor& x, bool training = false) const;
  Structure operator()(const Structure& inputs, bool training = false) const;
  // A tuple: layer({x, y}).
  Structure operator()(const std::vector<Structure>& inputs,
                       bool training = false) const {
    return (*this)(Structure::Tuple(inputs), training);
  }

  // Creates the weights and returns symbolic results.
  SymbolicTensor operator()(const SymbolicTensor& x) const;
  SymbolicStructure operator()(const SymbolicStructure& inputs) const;

  const std::string& name() const;
  bool built() const;
  const DTypePolicy& dtype_policy() const;

  // Creates the weights for inputs of these shapes, whose axis 0 may be
  // unknown. No effect if they exist. Errors: InvalidArgument;
  // FailedPrecondition for a layer that was made inside Run by each of several
  // replicas.
  void Build(const ShapeStructure& input_shapes) const;

  // The shapes of the results; axis 0 may be unknown. Errors: InvalidArgument.
  Shape ComputeOutputShape(const Shape& input_shape) const;
  ShapeStructure ComputeOutputShape(const ShapeStructure& input_shapes) const;

  // With false, training does not change the weights of the layer and its
  // sublayers: trainable_variables() excludes them, and BatchNormalization uses
  // the moving moments without updating them, as in Keras. REQUIRES: called
  // before a model with the layer is compiled.
  void SetTrainable(bool trainable) const;
  bool trainable() const;

  // The weights in the order of creation; none before the layer is built. A
  // layer that a model uses twice counts once.
  std::vector<VariablePtr> variables() const;
  std::vector<VariablePtr> trainable_variables() const;
  std::vector<VariablePtr> non_trainable_variables() const;

  // The penalty of each regularised weight, in order; differentiable.
  std::vector<Tensor> losses() const;

  // The layer's node for checkpoints. Lives as long as a copy of this handle.
  //
  //   Checkpoint checkpoint({{"model", model.trackable()}});
  Trackable* trackable() const;

  LayerImpl& impl() const { return *impl_; }
  const std::shared_ptr<LayerImpl>& shared_impl() const { return impl_; }

 private:
  std::shared_ptr<LayerImpl> impl_;
};

// Makes a user-defined layer.
//
//   class DoublingImpl : public TensorLayerImpl {...};
//   Layer doubling = MakeLayer<DoublingImpl>();
template <typename Impl, typename... Args>
Layer MakeLayer(Args&&... args) {
  return Layer(std::make_shared<Impl>(std::forward<Args>(args)...));
}

// An input of a model. `shape` is the shape of one example, without the batch
// axis.
//
//   Sequential model({Input({28, 28, 1}), ...});   // creates the weights at once
//
// The default name is "input_layer", "input_layer_1", ... Calls with another
// shape are InvalidArgument.
SymbolicTensor Input(const Shape& shape, const std::string& name = "");

// A symbolic call of a layer.
struct SymbolicCall {
  std::shared_ptr<LayerImpl> layer;  // nullptr for the input of a Sequential
  Nest<SymbolicTensor> inputs;       // none for an input
  ShapeStructure outputs;
  bool is_input = false;

  // Makes the symbolic result of an input layer.
  static SymbolicTensor Enter(std::shared_ptr<LayerImpl> layer,
                              const Shape& shape);
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_LAYERS_LAYER_H_
