#include "reference/layers/sequential.h"

#include <algorithm>
#include <utility>

#include "reference/autodiff/unique_name.h"
#include "reference/base/error.h"
#include "reference/base/trace.h"
#include "reference/layers/conv2d.h"
#include "reference/layers/input_layer.h"
#include "reference/layers/max_pooling2d.h"
#include "reference/layers/relu.h"

namespace lockstep {
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

}  // namespace lockstep
