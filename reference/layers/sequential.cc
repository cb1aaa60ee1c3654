#include "reference/layers/sequential.h"

#include <algorithm>
#include <utility>

#include "reference/autodiff/unique_name.h"
#include "reference/base/error.h"
#include "reference/layers/conv2d.h"
#include "reference/layers/input_layer.h"
#include "reference/layers/max_pooling2d.h"

namespace lockstep {
namespace {

bool IsInput(const LayerPtr& layer) {
  return dynamic_cast<const InputLayer*>(layer.get()) != nullptr;
}

template <typename T>
void AppendTo(std::vector<T>& all, const std::vector<T>& part) {
  all.insert(all.end(), part.begin(), part.end());
}

}  // namespace

Sequential::Sequential(const std::vector<LayerPtr>& layers,
                       const std::string& name)
    : Layer(name.empty() ? UniqueName("sequential") : name) {
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

std::vector<VariablePtr> Sequential::variables() const {
  std::vector<VariablePtr> all;
  for (const LayerPtr& layer : layers_) AppendTo(all, layer->variables());
  return all;
}

std::vector<Tensor> Sequential::losses() const {
  std::vector<Tensor> all;
  for (const LayerPtr& layer : layers_) AppendTo(all, layer->losses());
  return all;
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
  Tensor y = x;
  for (size_t i = 0; i < layers_.size(); ++i) {
    auto* conv = dynamic_cast<Conv2D*>(layers_[i].get());
    auto* pool = conv != nullptr && i + 1 < layers_.size()
                     ? dynamic_cast<MaxPooling2D*>(layers_[i + 1].get())
                     : nullptr;
    if (pool != nullptr && conv->CanFuse(pool->pool())) {
      y = conv->CallWithMaxPool(y, pool->pool());
      ++i;
    } else {
      y = (*layers_[i])(y, training);
    }
  }
  return y;
}

}  // namespace lockstep
