#include "reference/layers/sequential.h"

#include <algorithm>
#include <utility>

#include "reference/base/error.h"
#include "reference/base/trace.h"
#include "reference/layers/core_layers.h"
#include "reference/layers/image_layers.h"
#include "reference/layers/layer.h"

namespace lockstep {
namespace {

template <typename T>
void AppendTo(std::vector<T>& all, const std::vector<T>& part) {
  all.insert(all.end(), part.begin(), part.end());
}

}  // namespace

std::vector<VariablePtr> CompositeLayer::variables() const {
  std::vector<VariablePtr> all;
  for (const LayerPtr& layer : layers_) AppendTo(all, layer->variables());
  return all;
}

std::vector<Tensor> CompositeLayer::losses() const {
  std::vector<Tensor> all;
  for (const LayerPtr& layer : layers_) AppendTo(all, layer->losses());
  return all;
}

}  // namespace lockstep

namespace lockstep::layers_internal {

FunctionalNode::FunctionalNode() {
  // In the order Keras 3.15 tracks them.
  constexpr std::array kEmptyNodes = {"_tracked",
                                      "_inbound_nodes",
                                      "_outbound_nodes",
                                      "_losses",
                                      "_losses_override",
                                      "call_signature_parameters",
                                      "_call_has_context_arg"};
  static_assert(kEmptyNodes.size() == std::tuple_size_v<decltype(empty_)>);
  for (size_t i = 0; i < kEmptyNodes.size(); ++i) {
    TrackChild(kEmptyNodes[i], empty_[i]);
  }
  TrackChild("_operations", operations_);
}

}  // namespace lockstep::layers_internal

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

namespace {

bool IsInput(const LayerPtr& layer) {
  return dynamic_cast<const InputLayer*>(layer.get()) != nullptr;
}

DType ComputeDType(const LayerPtr& layer) {
  return layer->dtype_policy().compute_dtype();
}

}  // namespace

Sequential::Sequential(const std::vector<LayerPtr>& layers,
                       const std::string& name)
    : CompositeLayer(name.empty() ? UniqueName("sequential") : name) {
  for (const LayerPtr& layer : layers) {
    CheckAddable(layer);
    layers_.push_back(layer);
  }
  if (!layers_.empty() && IsInput(layers_[0])) {
    Build(static_cast<const InputLayer&>(*layers_[0]).batch_shape());
  }
}

void Sequential::Add(LayerPtr layer) {
  if (built()) {
    throw FailedPrecondition(
        "[Sequential] '{}' has its weights: add layers before", name());
  }
  CheckAddable(layer);
  layers_.push_back(std::move(layer));
}

void Sequential::CheckAddable(const LayerPtr& layer) const {
  if (layer == nullptr) {
    throw InvalidArgument("[Sequential] there is no layer to add");
  }
  const auto same_name = [&](const LayerPtr& other) {
    return other->name() == layer->name();
  };
  if (std::ranges::any_of(layers_, same_name)) {
    throw InvalidArgument("[Sequential] two layers are named '{}'",
                          layer->name());
  }
  if (IsInput(layer) && !layers_.empty()) {
    throw InvalidArgument("[Sequential] an Input comes first, got it as {}",
                          layers_.size());
  }
}

Shape Sequential::ComputeOutputShape(const Shape& input_shape) const {
  Shape shape = input_shape;
  for (const LayerPtr& layer : layers_) {
    shape = layer->ComputeOutputShape(shape);
  }
  return shape;
}

void Sequential::MakeWeights(const Shape& input_shape) {
  ComputeOutputShape(input_shape);  // all errors before the first weight
  Shape shape = input_shape;
  for (const LayerPtr& layer : layers_) {
    layer->Build(shape);
    shape = layer->ComputeOutputShape(shape);
  }
  if (layers_.empty() || !IsInput(layers_[0])) {
    functional_.AddOperation(input_node_);
  }
  for (const LayerPtr& layer : layers_) functional_.AddOperation(*layer);
  TrackChild("_functional", functional_);
}

Tensor Sequential::Call(const Tensor& x, bool training) {
  return CallAll(x, training, {});
}

Tensor Sequential::CallFused(const Tensor& x, bool training,
                             const Epilogue& epilogue) {
  return IsExactly<Sequential>() ? CallAll(x, training, epilogue)
                                 : Layer::CallFused(x, training, epilogue);
}

Tensor Sequential::CallAll(const Tensor& x, bool training,
                           const Epilogue& epilogue) {
  if (layers_.empty()) return Finish(x, epilogue);
  Tensor y = x;
  for (size_t i = 0; i < layers_.size();) {
    y = Step(y, training, epilogue, i);
  }
  return y;
}

bool Sequential::IsRelu(size_t index) const {
  return layers_[index]->IsExactly<ReLU>() &&
         ComputeDType(layers_[index]) == ComputeDType(layers_[index - 1]);
}

Tensor Sequential::Step(const Tensor& x, bool training,
                        const Epilogue& epilogue, size_t& index) {
  Layer& layer = *layers_[index++];
  if (index == layers_.size()) return layer(x, training, epilogue);
  // What comes last has an epilogue of its own to take.
  const bool pair = index + 1 < layers_.size() || epilogue.empty();
  if (pair && IsRelu(index)) {
    ++index;
    return layer(x, training, {.relu = true});
  }
  auto* conv = dynamic_cast<Conv2D*>(&layer);
  if (pair && conv != nullptr && conv->CanFuse(*layers_[index])) {
    const auto& pool = static_cast<const MaxPooling2D&>(*layers_[index++]);
    const TraceSpan span(layer.name(), "layer");
    return conv->CallWithMaxPool(x, pool.pool());
  }
  return layer(x, training);
}

Residual::Residual(LayerPtr main, LayerPtr shortcut,
                   const ResidualOptions& options)
    : CompositeLayer(options.name.empty() ? UniqueName("residual")
                                          : options.name),
      relu_(options.relu) {
  if (main == nullptr) {
    throw InvalidArgument("[Residual] '{}' needs a main layer", name());
  }
  layers_.push_back(std::move(main));
  if (shortcut != nullptr) layers_.push_back(std::move(shortcut));
}

Shape Residual::ComputeOutputShape(const Shape& input_shape) const {
  const Shape shape = main().ComputeOutputShape(input_shape);
  const Shape added = shortcut() == nullptr
                          ? input_shape
                          : shortcut()->ComputeOutputShape(input_shape);
  if (shape != added) {
    throw InvalidArgument(
        "[Residual] '{}' adds {} to {}: give it a shortcut that fits", name(),
        ToString(added), ToString(shape));
  }
  return shape;
}

void Residual::MakeWeights(const Shape& input_shape) {
  ComputeOutputShape(input_shape);  // for its errors
  main().Build(input_shape);
  TrackChild("main", main());
  if (shortcut() == nullptr) return;
  shortcut()->Build(input_shape);
  TrackChild("shortcut", *shortcut());
}

Tensor Residual::Call(const Tensor& x, bool training) {
  const Tensor added = shortcut() == nullptr ? x : (*shortcut())(x, training);
  return main()(x, training, {.addend = added, .relu = relu_});
}

}  // namespace lockstep
