#include "reference/layers/composite_layer.h"

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
