// The implementations of models: graphs of layers, and sequences of layers.
// Their handles are in training/model/model.h.
#ifndef LOCKSTEP_REFERENCE_LAYERS_MODEL_IMPL_H_
#define LOCKSTEP_REFERENCE_LAYERS_MODEL_IMPL_H_

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "reference/autodiff/trackable.h"
#include "reference/layers/layer.h"
#include "reference/layers/layer_graph.h"
#include "reference/layers/layer_impl.h"

namespace lockstep {

// A model's node for checkpoints: Keras 3 tracks a list of the layers, and some
// empty lists and dictionaries.
class FunctionalNode : public Trackable {
 public:
  FunctionalNode() { NameParts(*this); }
  // Adds the same children to `owner`. REQUIRES: this outlives `owner`.
  void NameParts(Trackable& owner);
  // Appends a layer. REQUIRES: it outlives this.
  void AddOperation(Trackable& operation) { operations_.Append(operation); }

 private:
  std::array<Trackable, 7> empty_;
  TrackableList operations_;
};

// A model defined by its inputs and outputs, which are connected by calls of
// layers. It may have several of each, skip connections, and shared layers.
//
//   SymbolicTensor x = Input({4}), y = Input({3});
//   SymbolicTensor hidden = Dense(8)(x);
//   SymbolicTensor both = Concatenate()({hidden, y});
//   Model model({x, y}, {both, Dense(1)(both)});
//   Structure results = model({a, b});     // ([n, 11], [n, 1])
//
// Layers that one kernel can execute together are fused (layers/layer_graph.h);
// results equal those of separate layers.
class ModelImpl : public CompositeLayerImpl {
 public:
  // Errors: as Model.
  ModelImpl(const SymbolicStructure& inputs, const SymbolicStructure& outputs,
            const std::string& name);

  ShapeStructure ComputeOutputShape(
      const ShapeStructure& input_shapes) const override;
  LayerConfig Config() const override;
  const LayerGraph& graph() const { return graph_; }
  // The names of the input layers, in order.
  std::vector<std::string> input_names() const;
  // The layers of the outputs, in order.
  const std::vector<std::string>& output_names() const { return output_names_; }

 protected:
  Structure Call(const Structure& inputs, bool training) override;

 private:
  LayerGraph graph_;
  std::vector<std::string> output_names_;
  std::vector<std::shared_ptr<LayerImpl>> inputs_;
  FunctionalNode functional_;
};

// A sequence of layers.
//
//   Sequential model({
//       Conv2D(32, 3, {.activation = Activation::kRelu}),
//       MaxPooling2D(),
//       Flatten(),
//       Dense(10),
//   });
//   Tensor logits = model(images, /*training=*/true);
//
// If the first layer is Input({28, 28, 1}), the weights are created at once,
// else by the first call or by Build. It is then a model of consecutive calls,
// in which a Conv2D with ReLU and a MaxPooling2D are fused, and so are a
// BatchNormalization and a ReLU. Classes derived from these layers are not
// fused, because their Call may differ.
class SequentialImpl : public CompositeLayerImpl {
 public:
  SequentialImpl(const std::vector<Layer>& layers, const std::string& name);

  // Errors: as Sequential::Add.
  void Add(const Layer& layer);
  ShapeStructure ComputeOutputShape(
      const ShapeStructure& input_shapes) const override;
  bool Fuses(const Epilogue& epilogue) const override;
  LayerConfig Config() const override;
  // nullopt until it is built.
  const std::optional<LayerGraph>& graph() const { return graph_; }

 protected:
  void MakeWeights(const ShapeStructure& input_shapes) override;
  Structure Call(const Structure& inputs, bool training) override;
  Structure CallFused(const Structure& inputs, bool training,
                      const Epilogue& epilogue, const Tensor& addend) override;

 private:
  void CheckAddable(const Layer& layer) const;

  std::optional<LayerGraph> graph_;  // once it is built
  Trackable input_node_;             // replaces a missing Input
  FunctionalNode functional_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_LAYERS_MODEL_IMPL_H_
