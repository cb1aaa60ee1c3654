#include "benchmarks/micro/layers/prepared_layers.h"

#include "benchmarks/micro/layers/cudnn_layer.h"
#include "benchmarks/micro/layers/layer_difference.h"
#include "benchmarks/micro/layers/own_layer.h"
#include "reference/base/error.h"

namespace lockstep::benchmarks {

LayerRun PreparedLayers::Prepare(const LayerWork& work, const std::string& by) {
  const LayerInputs& inputs = InputsOf(work);
  if (by == kOwn) return OwnLayer(work, inputs);
  const LayerRun run = CudnnLayer(work, inputs, by);
  const std::string name = EntryNameOf(work, by);
  auto known = differences_.find(name);
  if (known == differences_.end()) {
    const std::string difference =
        LayerDifference(work, OwnLayer(work, inputs)(), run());
    known = differences_.emplace(name, difference).first;
  }
  if (!known->second.empty()) {
    throw Internal("[PreparedLayers] {} differs from ours: {}", by,
                   known->second);
  }
  return run;
}

const LayerInputs& PreparedLayers::InputsOf(LayerWork work) {
  work.pass = LayerPass::kForward;
  const std::string name = EntryNameOf(work, kOwn);
  const auto known = inputs_.find(name);
  if (known != inputs_.end()) return known->second;
  return inputs_.emplace(name, MakeLayerInputs(work, device_)).first->second;
}

}  // namespace lockstep::benchmarks
