// Layers that a task makes, one by one, in place of a model.
//
//   const Dense dense = Built(Dense(64), Shape{kUnknownDim, 32});
//   WeightsOf({dense, norm});   // kernel, bias, gamma, beta
#ifndef LOCKSTEP_BENCHMARKS_WORKLOADS_BUILT_LAYERS_H_
#define LOCKSTEP_BENCHMARKS_WORKLOADS_BUILT_LAYERS_H_

#include <vector>

#include "reference/autodiff/variable.h"
#include "reference/layers/layer.h"

namespace lockstep::benchmarks {

// The layer, with its weights. REQUIRES: called in the strategy's scope.
template <typename AnyLayer>
AnyLayer Built(AnyLayer layer, const ShapeStructure& input_shapes) {
  layer.Build(input_shapes);
  return layer;
}

// The trainable variables of all layers, in their order.
inline std::vector<VariablePtr> WeightsOf(const std::vector<Layer>& layers) {
  std::vector<VariablePtr> weights;
  for (const Layer& layer : layers) {
    const std::vector<VariablePtr> own = layer.trainable_variables();
    weights.insert(weights.end(), own.begin(), own.end());
  }
  return weights;
}

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_WORKLOADS_BUILT_LAYERS_H_
