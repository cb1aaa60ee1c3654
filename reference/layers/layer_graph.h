// The calls between a model's inputs and outputs, in a valid order of
// execution. Consecutive calls that one kernel can execute are fused.
//
//   LayerGraph graph(x, ReLU()(BatchNormalization()(Dense(10)(x))));
//   graph.Run(images, /*training=*/true);   // two calls: Dense, and the others
//
// A ReLU, an Add of two tensors of one shape, or a MaxPooling2D becomes part of
// the call before it if nothing else uses that call's result and its layer
// Fuses. Results equal those of separate layers.
#ifndef LOCKSTEP_REFERENCE_LAYERS_LAYER_GRAPH_H_
#define LOCKSTEP_REFERENCE_LAYERS_LAYER_GRAPH_H_

#include <memory>
#include <optional>
#include <vector>

#include "reference/layers/layer.h"
#include "reference/layers/layer_impl.h"
#include "reference/tensor/nest.h"

namespace lockstep {

class LayerGraph {
 public:
  // Errors: InvalidArgument for inputs that are not results of Input or occur
  // twice, and outputs that depend on another Input.
  LayerGraph(const SymbolicStructure& inputs, const SymbolicStructure& outputs);

  // All layers, each once, in Keras' order: those farthest from the outputs
  // first, then in the order of a walk back from the outputs.
  const std::vector<Layer>& layers() const { return layers_; }

  // Applies the epilogue to the only output. REQUIRES: Fuses(epilogue), unless
  // it is empty. Errors: InvalidArgument for inputs of another structure.
  Structure Run(const Structure& inputs, bool training,
                const Epilogue& epilogue = {}, const Tensor& addend = {}) const;
  ShapeStructure ComputeOutputShape(const ShapeStructure& input_shapes) const;

  // Whether the last call fuses the epilogue.
  bool Fuses(const Epilogue& epilogue) const;

  // A single call. Tensors are numbered.
  struct LayerCall {
    std::shared_ptr<LayerImpl> layer;
    Nest<int> inputs;
    std::vector<int> outputs;
  };
  // The calls without fusion, each after those it depends on; for
  // serialization.
  const std::vector<LayerCall>& calls() const { return calls_; }
  // The numbers of the input and output tensors, in their structure.
  const Nest<int>& inputs() const { return inputs_; }
  const Nest<int>& outputs() const { return outputs_; }
  // The declared shape of each tensor; axis 0 is unknown.
  const std::vector<Shape>& shapes() const { return shapes_; }

 private:
  class Planner;

  // A layer's call with its epilogue. Tensors are numbered.
  struct FusedCall {
    std::shared_ptr<LayerImpl> layer;
    Nest<int> inputs;
    std::vector<int> outputs;
    Epilogue epilogue = {};
    int addend = -1;               // a tensor; -1: none
    std::vector<int> unused = {};  // tensors that no later call reads
  };
  // Errors: InvalidArgument for another structure than the declared inputs.
  void CheckForm(const auto& inputs) const;

  Nest<SymbolicTensor> form_;
  std::vector<Layer> layers_;
  std::vector<LayerCall> calls_;
  std::vector<FusedCall> fused_;
  Nest<int> inputs_;
  Nest<int> outputs_;
  std::vector<Shape> shapes_;  // of each tensor
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_LAYERS_LAYER_GRAPH_H_
