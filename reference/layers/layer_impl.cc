#include "reference/layers/layer_impl.h"

#include <map>
#include <mutex>
#include <unordered_set>

#include "reference/autodiff/distribution_context.h"
#include "reference/autodiff/ops/array_ops.h"
#include "reference/autodiff/ops/math_ops.h"
#include "reference/autodiff/ops/nn_ops.h"
#include "reference/base/error.h"
#include "reference/base/trace.h"

namespace lockstep {
namespace {

struct Counts {
  std::mutex mutex;
  std::map<std::string, int> next;
};

Counts& State() {
  static Counts* counts = new Counts;  // outlives static destructors
  return *counts;
}

}  // namespace

std::string UniqueName(const std::string& base) {
  Counts& counts = State();
  std::lock_guard lock(counts.mutex);
  const int index = counts.next[base]++;
  return index == 0 ? base : base + "_" + std::to_string(index);
}

void ClearSession() {
  Counts& counts = State();
  std::lock_guard lock(counts.mutex);
  counts.next.clear();
}

ShapeStructure ShapesOf(const Structure& inputs) {
  return inputs.Map<Shape>([](const Tensor& x) { return x.shape(); });
}

namespace {

// The number of elements that further weights may have; unlimited if negative.
thread_local int64_t elements_left = -1;

void TakeElements(const std::string& name, const Shape& shape) {
  if (elements_left < 0) return;
  int64_t elements = 1;
  bool overflows = false;
  for (const int64_t dim : shape.dims()) {
    overflows |= __builtin_mul_overflow(elements, dim, &elements);
  }
  if (overflows || elements > elements_left) {
    throw InvalidArgument(
        "[AddWeight] {} of shape {} is beyond the {} elements that are left "
        "for weights",
        name, ToString(shape), elements_left);
  }
  elements_left -= elements;
}

}  // namespace

WeightLimit::WeightLimit(int64_t elements) { elements_left = elements; }

WeightLimit::~WeightLimit() { elements_left = -1; }

void LayerImpl::CheckInputs(const Structure& inputs) const {
  inputs.ForEach([this](const Tensor& x) {
    if (x.defined() && (x.rank() > 0 || TakesScalars())) return;
    throw InvalidArgument("[{}] the input needs a batch axis, got {}", name_,
                          Describe(x));
  });
}

Structure LayerImpl::Run(const Structure& inputs, bool training,
                         const Epilogue& epilogue, const Tensor& addend) {
  const TraceSpan span(name_, "layer");
  CheckInputs(inputs);
  if (!built_) {
    Build(inputs.Map<Shape>(
        [](const Tensor& x) { return x.shape().WithDim(0, kUnknownDim); }));
  }
  const Structure cast =
      inputs.Map<Tensor>([this](const Tensor& x) { return CastInput(x); });
  if (epilogue.empty()) return Call(cast, training);
  return CallFused(cast, training, epilogue,
                   epilogue.add ? CastInput(addend) : addend);
}

Structure LayerImpl::CallFused(const Structure& inputs, bool training,
                               const Epilogue& epilogue, const Tensor& addend) {
  return Finish(Call(inputs, training), epilogue, addend);
}

Tensor LayerImpl::Finish(const Tensor& y, const Epilogue& epilogue,
                         const Tensor& addend) {
  if (epilogue.add && addend.shape() != y.shape()) {
    throw InvalidArgument("[Layer] cannot add {} to the output {}",
                          Describe(addend), Describe(y));
  }
  Tensor z = epilogue.add ? ops::Add(y, ops::Cast(addend, y.dtype())) : y;
  if (epilogue.relu) z = ops::Relu(z);
  return epilogue.max_pool ? ops::MaxPool2D(z, *epilogue.max_pool) : z;
}

Tensor LayerImpl::CastInput(const Tensor& x) const {
  if (!IsFloating(x.dtype())) return x;
  return ops::Cast(x, dtype_policy_.compute_dtype());
}

Tensor LayerImpl::Read(const VariablePtr& weight) const {
  if (weight == nullptr) return Tensor();
  return ops::Cast(weight->Read(), dtype_policy_.compute_dtype());
}

void LayerImpl::Build(const ShapeStructure& input_shapes) {
  if (built_) return;
  DistributionContext::Current().MergeCall([&] {
    if (built_) return;
    MakeWeights(input_shapes);
    built_ = true;
  });
  // The call ran once for all replicas. If each has a layer of its own, it
  // built another one.
  if (built_) return;
  throw FailedPrecondition(
      "[Layer] '{}' is not the layer that the other replicas call: a layer "
      "made inside Run is another one on each replica; make it before, in the "
      "strategy's scope",
      name_);
}

const std::vector<Layer>& LayerImpl::layers() const {
  static const auto* none = new std::vector<Layer>;
  return *none;
}

namespace {

void Collect(const LayerImpl& layer, std::vector<const LayerImpl*>& parts,
             std::unordered_set<const LayerImpl*>& seen) {
  if (!seen.insert(&layer).second) return;
  parts.push_back(&layer);
  for (const Layer& part : layer.layers()) Collect(part.impl(), parts, seen);
}

}  // namespace

std::vector<const LayerImpl*> LayerImpl::Parts() const {
  std::vector<const LayerImpl*> parts;
  std::unordered_set<const LayerImpl*> seen;
  Collect(*this, parts, seen);
  return parts;
}

std::vector<VariablePtr> LayerImpl::variables() const {
  std::vector<VariablePtr> all;
  for (const LayerImpl* part : Parts()) {
    all.insert(all.end(), part->weights_.begin(), part->weights_.end());
  }
  return all;
}

std::vector<VariablePtr> LayerImpl::trainable_variables() const {
  std::vector<VariablePtr> trained;
  for (const LayerImpl* part : Parts()) {
    if (!part->trainable_) continue;
    for (const VariablePtr& weight : part->weights_) {
      if (weight->trainable()) trained.push_back(weight);
    }
  }
  return trained;
}

void LayerImpl::SetTrainable(bool trainable) {
  trainable_ = trainable;
  for (const Layer& layer : layers()) layer.SetTrainable(trainable);
}

std::vector<Tensor> LayerImpl::losses() const {
  std::vector<Tensor> losses;
  for (const LayerImpl* part : Parts()) {
    for (const Penalty& penalty : part->penalties_) {
      losses.push_back((*penalty.regularizer)(penalty.weight->Read()));
    }
  }
  return losses;
}

VariablePtr LayerImpl::AddWeight(const Weight& weight) {
  TakeElements(name_ + "/" + weight.name, weight.shape);
  // A strategy may call it once per replica and must get the same values.
  const Random stream = NextRandomStream();
  VariablePtr variable =
      MakeVariable({.initial_value =
                        [weight, stream] {
                          Random random = stream;
                          return weight.initializer(weight.shape, random);
                        },
                    .name = name_ + "/" + weight.name,
                    .trainable = weight.trainable,
                    .synchronization = weight.synchronization,
                    .aggregation = weight.aggregation});
  weights_.push_back(variable);
  if (weight.regularizer) penalties_.push_back({variable, weight.regularizer});
  TrackChild(weight.checkpoint_name, *variable);
  return variable;
}

template <typename Leaf>
const Leaf& TensorLayerImpl::OnlyLeaf(const Nest<Leaf>& inputs) const {
  if (inputs.is_leaf()) return inputs.leaf();
  throw InvalidArgument(
      "[{}] needs one tensor, got a {} of {} items", name(),
      inputs.kind() == NestKind::kTuple ? "tuple" : "dictionary",
      inputs.size());
}

ShapeStructure TensorLayerImpl::ComputeOutputShape(
    const ShapeStructure& input_shapes) const {
  return ComputeOutputShape(OnlyLeaf(input_shapes));
}

void TensorLayerImpl::MakeWeights(const ShapeStructure& input_shapes) {
  MakeWeights(OnlyLeaf(input_shapes));
}

Structure TensorLayerImpl::Call(const Structure& inputs, bool training) {
  return Call(OnlyLeaf(inputs), training);
}

Structure TensorLayerImpl::CallFused(const Structure& inputs, bool training,
                                     const Epilogue& epilogue,
                                     const Tensor& addend) {
  return CallFused(OnlyLeaf(inputs), training, epilogue, addend);
}

Tensor TensorLayerImpl::CallFused(const Tensor& x, bool training,
                                  const Epilogue& epilogue,
                                  const Tensor& addend) {
  return Finish(Call(x, training), epilogue, addend);
}

InputLayerImpl::InputLayerImpl(const Shape& shape, const std::string& name)
    : TensorLayerImpl(name.empty() ? UniqueName("input_layer") : name,
                      DTypePolicy("float32")),
      batch_shape_(shape.Prepend(kUnknownDim)) {}

Shape InputLayerImpl::ComputeOutputShape(const Shape& input_shape) const {
  if (input_shape.rank() == 0 || input_shape.Tail() != batch_shape_.Tail()) {
    throw InvalidArgument("[Input] shape {} was declared, got {}",
                          ToString(batch_shape_), ToString(input_shape));
  }
  return input_shape;
}

Tensor InputLayerImpl::Call(const Tensor& x, bool /*training*/) {
  ComputeOutputShape(x.shape());  // throws for wrong arguments
  return x;
}

}  // namespace lockstep
