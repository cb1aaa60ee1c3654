// The calls between a model's inputs and its outputs, in an order in which they
// can run; neighbours that one kernel can do are one fused call.
//
//   LayerGraph graph(x, ReLU()(BatchNormalization()(Dense(10)(x))));
//   graph.Run(images, /*training=*/true);   // two: Dense, and the others
//
// A ReLU, an Add of two tensors of one shape, or a MaxPooling2D becomes part of
// the call before it if nothing else uses what that call gives and its layer
// Fuses; results are those of the single layers.
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
  // Errors: InvalidArgument for an input that no Input gave, one given twice,
  // and outputs that depend on another Input.
  LayerGraph(const SymbolicStructure& inputs, const SymbolicStructure& outputs);

  // All layers, each once, as Keras orders them: those farthest from the
  // outputs first, then as one meets them on the way back from the outputs.
  const std::vector<Layer>& layers() const { return layers_; }

  // The epilogue follows the only output. REQUIRES: Fuses(epilogue), unless it
  // is empty. Errors: InvalidArgument for inputs in another form.
  Structure Run(const Structure& inputs, bool training,
                const Epilogue& epilogue = {}, const Tensor& addend = {}) const;
  ShapeStructure ComputeOutputShape(const ShapeStructure& input_shapes) const;

  // The last call can do that too.
  bool Fuses(const Epilogue& epilogue) const;

  // A call by itself, between numbered places.
  struct LayerCall {
    std::shared_ptr<LayerImpl> layer;
    Nest<int> inputs;
    std::vector<int> outputs;
  };
  // As the calls were made, each after those that it needs; for those who write
  // the graph down.
  const std::vector<LayerCall>& calls() const { return calls_; }
  // Places where tensors enter, in the form in which they do, and leave.
  const Nest<int>& inputs() const { return inputs_; }
  const Nest<int>& outputs() const { return outputs_; }
  // What was declared of each place; axis 0 is unknown.
  const std::vector<Shape>& shapes() const { return shapes_; }

 private:
  class Planner;

  // A layer's call with what follows it, between numbered places.
  struct FusedCall {
    std::shared_ptr<LayerImpl> layer;
    Nest<int> inputs;
    std::vector<int> outputs;
    Epilogue epilogue = {};
    int addend = -1;               // a place; -1: none
    std::vector<int> unused = {};  // places that no later one reads
  };
  // Errors: InvalidArgument for another form than the declared inputs have.
  void CheckForm(const auto& inputs) const;

  Nest<SymbolicTensor> form_;
  std::vector<Layer> layers_;
  std::vector<LayerCall> calls_;
  std::vector<FusedCall> fused_;
  Nest<int> inputs_;
  Nest<int> outputs_;
  std::vector<Shape> shapes_;  // of each place
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_LAYERS_LAYER_GRAPH_H_
