// The implementation of layers, behind the handles of layers/layer.h.
//
// A user-defined layer defines its function of shapes and of tensors:
//
//   class DoublingImpl : public TensorLayerImpl {
//    public:
//     DoublingImpl() : TensorLayerImpl(UniqueName("doubling")) {}
//     Shape ComputeOutputShape(const Shape& s) const override { return s; }
//    protected:
//     Tensor Call(const Tensor& x, bool) override { return 2 * x; }
//   };
//
//   Sequential model({Dense(10), MakeLayer<DoublingImpl>()});
//
// A layer of structures derives from LayerImpl.
#ifndef LOCKSTEP_REFERENCE_LAYERS_LAYER_IMPL_H_
#define LOCKSTEP_REFERENCE_LAYERS_LAYER_IMPL_H_

#include <memory>
#include <optional>
#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

#include "reference/autodiff/trackable.h"
#include "reference/autodiff/variable.h"
#include "reference/kernels/pooling/pool2d.h"
#include "reference/layers/initializers.h"
#include "reference/layers/layer.h"
#include "reference/regularizers/regularizer.h"
#include "reference/tensor/tensor.h"

namespace lockstep {

// Default names of layers and optimizers, as in Keras.
//
//   UniqueName("conv2d");   // "conv2d"
//   UniqueName("conv2d");   // "conv2d_1"
//   ClearSession();
//   UniqueName("conv2d");   // "conv2d"
//
// Returns `base`, followed by a count if it was used before. Thread-safe.
std::string UniqueName(const std::string& base);

// Resets all counts.
void ClearSession();

// Limits the total number of elements of weights that this thread creates while
// it lives. For layers that are described by a file.
//
//   const WeightLimit limit(1000);
//   Dense(100).Build(Shape{kUnknownDim, 10});   // InvalidArgument: 1000 + 100
class WeightLimit {
 public:
  // REQUIRES: one at a time per thread.
  explicit WeightLimit(int64_t elements);
  ~WeightLimit();
  WeightLimit(const WeightLimit&) = delete;
  WeightLimit& operator=(const WeightLimit&) = delete;
};

// Of each tensor, in the same form.
ShapeStructure ShapesOf(const Structure& inputs);

// Operations that the kernel of the preceding layer may include, in this order:
// addition of an addend, ReLU, max-pooling.
struct Epilogue {
  bool add = false;
  bool relu = false;
  std::optional<kernels::MaxPool2DOptions> max_pool = std::nullopt;

  bool empty() const { return !add && !relu && !max_pool; }
};

struct LayerConfig;

class LayerImpl : public Trackable {
 public:
  // The default policy is GetDTypePolicy(). REQUIRES: the name is unique in the
  // model; see UniqueName.
  explicit LayerImpl(std::string name,
                     const std::optional<DTypePolicy>& dtype = std::nullopt)
      : name_(std::move(name)),
        dtype_policy_(dtype ? *dtype : GetDTypePolicy()) {}

  const std::string& name() const { return name_; }
  bool built() const { return built_; }
  const DTypePolicy& dtype_policy() const { return dtype_policy_; }
  bool trainable() const { return trainable_; }
  // Applies to all sublayers too.
  void SetTrainable(bool trainable);
  // Whether it is a T and not of a derived class, which may have its own Call.
  // To be checked before the layer is fused.
  template <typename T>
  bool IsExactly() const {
    return typeid(*this) == typeid(T);
  }

  // Calls the layer and applies the epilogue. The addend has the output's
  // shape.
  Structure Run(const Structure& inputs, bool training,
                const Epilogue& epilogue = {}, const Tensor& addend = {});

  // As Layer::Build.
  void Build(const ShapeStructure& input_shapes);

  virtual ShapeStructure ComputeOutputShape(
      const ShapeStructure& input_shapes) const = 0;

  // The layer as an epilogue, if it can be one: ReLU is {.relu = true}.
  virtual Epilogue AsEpilogue() const { return {}; }
  // Whether the layer's kernel includes the epilogue.
  virtual bool Fuses(const Epilogue& /*epilogue*/) const { return false; }

  // Its configuration for files (layers/layer_config.h). Errors: Unimplemented
  // unless the class overrides it.
  virtual LayerConfig Config() const;
  // Whether Keras passes several inputs as separate arguments instead of a
  // list.
  virtual bool TakesArguments() const { return false; }

  // The sublayers.
  virtual const std::vector<Layer>& layers() const;
  // The weights of the layer and its sublayers, each once.
  std::vector<VariablePtr> variables() const;
  // Those that are trained. Excludes layers that are not trainable.
  std::vector<VariablePtr> trainable_variables() const;
  std::vector<Tensor> losses() const;

 protected:
  struct Weight {
    std::string name;             // "kernel": the variable is "dense/kernel"
    std::string checkpoint_name;  // "_kernel"
    Shape shape;
    Initializer initializer;
    RegularizerPtr regularizer = nullptr;
    bool trainable = true;
    VariableSynchronization synchronization = VariableSynchronization::kAuto;
    VariableAggregation aggregation = VariableAggregation::kNone;
  };

  // Called once, in cross-replica context. Checks the shapes and calls
  // AddWeight.
  virtual void MakeWeights(const ShapeStructure& /*input_shapes*/) {}
  virtual Structure Call(const Structure& inputs, bool training) = 0;
  // Called with a nonempty epilogue. This version applies it after Call; an
  // override may fuse it. An override must call this version for derived
  // classes (IsExactly), whose Call may differ.
  virtual Structure CallFused(const Structure& inputs, bool training,
                              const Epilogue& epilogue, const Tensor& addend);
  // Applies the epilogue. Errors: InvalidArgument for an addend of another
  // shape.
  static Tensor Finish(const Tensor& y, const Epilogue& epilogue,
                       const Tensor& addend);

  VariablePtr AddWeight(const Weight& weight);
  // Reads a weight in the compute type; undefined for nullptr.
  Tensor Read(const VariablePtr& weight) const;
  // Casts `x` for Call. Layers with sublayers leave this to them.
  virtual Tensor CastInput(const Tensor& x) const;
  // Whether a tensor without axes is accepted, as one example.
  virtual bool TakesScalars() const { return false; }
  // For the constructor of a layer that never has weights: its first call then
  // does not wait for the other replicas, so that threads which belong to none
  // (a dataset's) may call it.
  void MarkBuilt() { built_ = true; }

 private:
  struct Penalty {
    VariablePtr weight;
    RegularizerPtr regularizer;
  };

  void CheckInputs(const Structure& inputs) const;
  // The layer and all its sublayers, each once.
  std::vector<const LayerImpl*> Parts() const;

  std::string name_;
  DTypePolicy dtype_policy_;
  bool built_ = false;  // written only while every replica waits
  bool trainable_ = true;
  std::vector<VariablePtr> weights_;
  std::vector<Penalty> penalties_;
};

// A layer from one tensor to one tensor.
class TensorLayerImpl : public LayerImpl {
 public:
  using LayerImpl::LayerImpl;

  virtual Shape ComputeOutputShape(const Shape& input_shape) const = 0;
  ShapeStructure ComputeOutputShape(
      const ShapeStructure& input_shapes) const final;

 protected:
  virtual void MakeWeights(const Shape& /*input_shape*/) {}
  virtual Tensor Call(const Tensor& x, bool training) = 0;
  virtual Tensor CallFused(const Tensor& x, bool training,
                           const Epilogue& epilogue, const Tensor& addend);

 private:
  // Errors: InvalidArgument unless it is a single leaf.
  template <typename Leaf>
  const Leaf& OnlyLeaf(const Nest<Leaf>& inputs) const;
  void MakeWeights(const ShapeStructure& input_shapes) final;
  Structure Call(const Structure& inputs, bool training) final;
  Structure CallFused(const Structure& inputs, bool training,
                      const Epilogue& epilogue, const Tensor& addend) final;
};

// An input: passes its tensor through.
class InputLayerImpl : public TensorLayerImpl {
 public:
  // `shape` is the shape of one example, without the batch axis.
  explicit InputLayerImpl(const Shape& shape, const std::string& name = "");

  // With an unknown batch axis.
  const Shape& batch_shape() const { return batch_shape_; }
  // Errors: InvalidArgument for another shape.
  Shape ComputeOutputShape(const Shape& input_shape) const override;
  LayerConfig Config() const override;

 protected:
  Tensor Call(const Tensor& x, bool training) override;

 private:
  Shape batch_shape_;
};

// A layer with sublayers.
class CompositeLayerImpl : public LayerImpl {
 public:
  const std::vector<Layer>& layers() const override { return layers_; }

 protected:
  using LayerImpl::LayerImpl;

  Tensor CastInput(const Tensor& x) const override { return x; }

  std::vector<Layer> layers_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_LAYERS_LAYER_IMPL_H_
