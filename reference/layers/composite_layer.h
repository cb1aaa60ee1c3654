// A layer made of layers: its weights and penalties are theirs, in order.
#ifndef LOCKSTEP_REFERENCE_LAYERS_COMPOSITE_LAYER_H_
#define LOCKSTEP_REFERENCE_LAYERS_COMPOSITE_LAYER_H_

#include <vector>

#include "reference/layers/layer.h"

namespace lockstep {

class CompositeLayer : public Layer {
 public:
  const std::vector<LayerPtr>& layers() const { return layers_; }
  std::vector<VariablePtr> variables() const override;
  std::vector<Tensor> losses() const override;

 protected:
  using Layer::Layer;

  std::vector<LayerPtr> layers_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_LAYERS_COMPOSITE_LAYER_H_
