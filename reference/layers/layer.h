// A differentiable function with weights; models are layers too.
//
//   Dense dense(10);
//   Tensor logits = dense(x);          // the first call makes the weights
//   dense.trainable_variables();       // kernel, bias
//   dense.losses();                    // penalties of regularised weights
//
// Under a strategy the replicas' threads share one layer object and call it at
// once; its weights are mirrored variables, made while all replicas wait.
#ifndef LOCKSTEP_REFERENCE_LAYERS_LAYER_H_
#define LOCKSTEP_REFERENCE_LAYERS_LAYER_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <typeinfo>
#include <utility>
#include <vector>

#include "reference/autodiff/trackable.h"
#include "reference/autodiff/variable.h"
#include "reference/layers/initializers.h"
#include "reference/regularizers/regularizer.h"
#include "reference/tensor/dtype.h"
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

// In which types a layer computes and keeps its weights.
//
//   SetDTypePolicy("mixed_bfloat16");  // for layers made from now on
//   Dense hidden(64);                  // bfloat16 inputs, products and outputs
//   Dense logits(10, {.dtype = "float32"});
//   hidden.dtype_policy().compute_dtype();    // DType::kBFloat16
//   hidden.dtype_policy().variable_dtype();   // DType::kFloat32
//
// Under a mixed policy a layer casts its floating inputs and, as it reads them,
// its weights to the compute type; gradients arrive at the weights as float32.
// Losses and metrics compute in float32 whatever they get. float16 wants a
// LossScaleOptimizer.
class DTypePolicy {
 public:
  // "float32", "mixed_bfloat16" or "mixed_float16". Errors: Unimplemented for
  // "float64", "bfloat16" and "float16", whose weights would have these types;
  // InvalidArgument for other names.
  DTypePolicy(std::string_view name);  // NOLINT
  DTypePolicy(const char* name)        // NOLINT
      : DTypePolicy(std::string_view(name)) {}

  const std::string& name() const { return name_; }
  DType compute_dtype() const { return compute_dtype_; }
  DType variable_dtype() const { return DType::kFloat32; }

 private:
  std::string name_;
  DType compute_dtype_;
};

// What layers follow that are made without a policy of their own, on all
// threads; float32 at first.
DTypePolicy GetDTypePolicy();
void SetDTypePolicy(const DTypePolicy& policy);

// Layers made while it lives follow the policy.
class DTypePolicyScope {
 public:
  explicit DTypePolicyScope(const DTypePolicy& policy)
      : before_(GetDTypePolicy()) {
    SetDTypePolicy(policy);
  }
  ~DTypePolicyScope() { SetDTypePolicy(before_); }
  DTypePolicyScope(const DTypePolicyScope&) = delete;
  DTypePolicyScope& operator=(const DTypePolicyScope&) = delete;

 private:
  const DTypePolicy before_;
};

// What follows a layer, in the same kernel where it has one: the addend is
// added to the output (where defined), then negative elements become 0.
struct Epilogue {
  Tensor addend = Tensor();
  bool relu = false;

  bool empty() const { return !addend.defined() && !relu; }
};

class Layer : public Trackable {
 public:
  // REQUIRES: a name that no other layer of the model has; see UniqueName.
  // Without a policy of its own the layer follows GetDTypePolicy().
  explicit Layer(std::string name,
                 const std::optional<DTypePolicy>& dtype = std::nullopt)
      : name_(std::move(name)),
        dtype_policy_(dtype ? *dtype : GetDTypePolicy()) {}

  const std::string& name() const { return name_; }
  bool built() const { return built_; }
  const DTypePolicy& dtype_policy() const { return dtype_policy_; }
  // A T itself, not of a class derived from it, which may have a Call of its
  // own: what a kernel must know that is to do a T's work with its neighbour's.
  template <typename T>
  bool IsExactly() const {
    return typeid(*this) == typeid(T);
  }

  // x has the batch as axis 0. A floating x is cast to the compute type. The
  // epilogue's addend is of the output's shape.
  // Errors: InvalidArgument for shapes and types the layer cannot take.
  Tensor operator()(const Tensor& x, bool training = false,
                    const Epilogue& epilogue = {});

  // Makes the weights for inputs of this shape, whose axis 0 may be unknown.
  // No effect when they are there. Errors: InvalidArgument.
  void Build(const Shape& input_shape);

  // The output's shape; axis 0 may be unknown. Errors: InvalidArgument.
  virtual Shape ComputeOutputShape(const Shape& input_shape) const = 0;

  // Weights in the order they were made; none before the layer is built.
  virtual std::vector<VariablePtr> variables() const;
  std::vector<VariablePtr> trainable_variables() const;
  std::vector<VariablePtr> non_trainable_variables() const;

  // The penalty of each regularised weight, in order; differentiable.
  virtual std::vector<Tensor> losses() const;

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

  // Runs once, in cross-replica context: checks the shape, calls AddWeight.
  virtual void MakeWeights(const Shape& /*input_shape*/) {}
  virtual Tensor Call(const Tensor& x, bool training) = 0;
  // With an epilogue that is not empty, for layers with a kernel for both; here
  // one after the other. An override leaves classes derived from its own to
  // this one (IsExactly), whose Call may differ.
  virtual Tensor CallFused(const Tensor& x, bool training,
                           const Epilogue& epilogue);
  // The epilogue by itself. Errors: InvalidArgument for an addend of another
  // shape.
  static Tensor Finish(const Tensor& y, const Epilogue& epilogue);

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

  std::string name_;
  DTypePolicy dtype_policy_;
  bool built_ = false;  // written only while every replica waits
  std::vector<VariablePtr> weights_;
  std::vector<Penalty> penalties_;
};

using LayerPtr = std::shared_ptr<Layer>;

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_LAYERS_LAYER_H_
