// What a layer does: what its handles (layers/layer.h) stand for.
//
// A layer of one's own says what it makes of shapes and of tensors:
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
// One that takes or gives structures derives from LayerImpl itself.
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

// Names of layers and optimizers that were given none, as Keras makes them.
//
//   UniqueName("conv2d");   // "conv2d"
//   UniqueName("conv2d");   // "conv2d_1"
//   ClearSession();
//   UniqueName("conv2d");   // "conv2d"
//
// `base`, followed by how often it was asked for before. Thread-safe.
std::string UniqueName(const std::string& base);

// Starts all counts again.
void ClearSession();

// While it lives, the weights that this thread makes for layers have at most so
// many elements, all together: for who makes layers of what a file says.
//
//   const WeightLimit limit(1000);
//   Dense(100).Build(Shape{kUnknownDim, 10});   // InvalidArgument: 1000 + 100
class WeightLimit {
 public:
  // REQUIRES: one at a time on a thread.
  explicit WeightLimit(int64_t elements);
  ~WeightLimit();
  WeightLimit(const WeightLimit&) = delete;
  WeightLimit& operator=(const WeightLimit&) = delete;
};

// What layers say they do where the kernel of the layer before may do it too,
// one after the other: an addend is added, negative elements become 0, the
// maximum over windows is taken.
struct Epilogue {
  bool add = false;
  bool relu = false;
  std::optional<kernels::MaxPool2DOptions> max_pool = std::nullopt;

  bool empty() const { return !add && !relu && !max_pool; }
};

struct LayerConfig;

class LayerImpl : public Trackable {
 public:
  // REQUIRES: a name that no other layer of the model has; see UniqueName.
  // Without a policy of its own the layer follows GetDTypePolicy().
  explicit LayerImpl(std::string name,
                     const std::optional<DTypePolicy>& dtype = std::nullopt)
      : name_(std::move(name)),
        dtype_policy_(dtype ? *dtype : GetDTypePolicy()) {}

  const std::string& name() const { return name_; }
  bool built() const { return built_; }
  const DTypePolicy& dtype_policy() const { return dtype_policy_; }
  bool trainable() const { return trainable_; }
  // Of all that it is made of too.
  void SetTrainable(bool trainable);
  // A T itself, not of a class derived from it, which may have a Call of its
  // own: what must be known of one whose work is done by another's kernel.
  template <typename T>
  bool IsExactly() const {
    return typeid(*this) == typeid(T);
  }

  // A call, and what follows it. The addend has the output's shape.
  Structure Run(const Structure& inputs, bool training,
                const Epilogue& epilogue = {}, const Tensor& addend = {});

  void Build(const ShapeStructure& input_shapes);

  virtual ShapeStructure ComputeOutputShape(
      const ShapeStructure& input_shapes) const = 0;

  // This layer, where it is nothing else: ReLU is {.relu = true}.
  virtual Epilogue AsEpilogue() const { return {}; }
  // This layer's kernel can do that too.
  virtual bool Fuses(const Epilogue& /*epilogue*/) const { return false; }

  // How it is made, for a file (layers/layer_config.h). Errors: Unimplemented
  // unless the class says it.
  virtual LayerConfig Config() const;
  // Of several inputs, Keras calls it with each as an argument, not with a list.
  virtual bool TakesArguments() const { return false; }

  // The layers that it is made of.
  virtual const std::vector<Layer>& layers() const;
  // Weights and penalties of this one and of all that it is made of, each once.
  std::vector<VariablePtr> variables() const;
  // Those that are trained: none of a part whose weights stay as they are.
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

  // Runs once, in cross-replica context: checks the shapes, calls AddWeight.
  virtual void MakeWeights(const ShapeStructure& /*input_shapes*/) {}
  virtual Structure Call(const Structure& inputs, bool training) = 0;
  // With an epilogue that is not empty: here one after the other; otherwise
  // where Fuses. An override leaves classes derived from its own to this one
  // (IsExactly), whose Call may differ.
  virtual Structure CallFused(const Structure& inputs, bool training,
                              const Epilogue& epilogue, const Tensor& addend);
  // The epilogue by itself. Errors: InvalidArgument for an addend of another
  // shape.
  static Tensor Finish(const Tensor& y, const Epilogue& epilogue,
                       const Tensor& addend);

  VariablePtr AddWeight(const Weight& weight);
  // A weight in the compute type; undefined for nullptr.
  Tensor Read(const VariablePtr& weight) const;
  // What Call gets for `x`. A layer made of layers leaves it to them.
  virtual Tensor CastInput(const Tensor& x) const;

 private:
  struct Penalty {
    VariablePtr weight;
    RegularizerPtr regularizer;
  };

  void CheckInputs(const Structure& inputs) const;
  // This one and all that it is made of, each once.
  std::vector<const LayerImpl*> Parts() const;

  std::string name_;
  DTypePolicy dtype_policy_;
  bool built_ = false;  // written only while every replica waits
  bool trainable_ = true;
  std::vector<VariablePtr> weights_;
  std::vector<Penalty> penalties_;
};

// A layer that makes one tensor of one tensor.
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
  // Errors: InvalidArgument for more than a leaf.
  template <typename Leaf>
  const Leaf& OnlyLeaf(const Nest<Leaf>& inputs) const;
  void MakeWeights(const ShapeStructure& input_shapes) final;
  Structure Call(const Structure& inputs, bool training) final;
  Structure CallFused(const Structure& inputs, bool training,
                      const Epilogue& epilogue, const Tensor& addend) final;
};

// Where a tensor enters: passes it through.
class InputLayerImpl : public TensorLayerImpl {
 public:
  // `shape` is that of one example, without the batch axis.
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

// A layer made of layers.
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
