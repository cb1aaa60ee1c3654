// What models do: any layers between inputs and outputs, and layers one after
// the other. Their handles are in training/model/model.h.
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

// What a checkpoint finds of a model: Keras 3 tracks a list of the layers, and
// beside it empty lists and dictionaries of its own.
class FunctionalNode : public Trackable {
 public:
  FunctionalNode() { NameParts(*this); }
  // Gives `owner` the same parts. REQUIRES: this lives as long as `owner`.
  void NameParts(Trackable& owner);
  // The next layer. REQUIRES: it lives as long as this does.
  void AddOperation(Trackable& operation) { operations_.Append(operation); }

 private:
  std::array<Trackable, 7> empty_;
  TrackableList operations_;
};

// What lies between inputs and outputs, which are put together by calling
// layers: several of each, skip connections, layers used more than once.
//
//   SymbolicTensor x = Input({4}), y = Input({3});
//   SymbolicTensor hidden = Dense(8)(x);
//   SymbolicTensor both = Concatenate()({hidden, y});
//   Model model({x, y}, {both, Dense(1)(both)});
//   Structure results = model({a, b});     // ([n, 11], [n, 1])
//
// Layers that one kernel can do together run so (layers/layer_graph.h); results
// are those of the single layers.
class ModelImpl : public CompositeLayerImpl {
 public:
  // Errors: as Model.
  ModelImpl(const SymbolicStructure& inputs, const SymbolicStructure& outputs,
            const std::string& name);

  ShapeStructure ComputeOutputShape(
      const ShapeStructure& input_shapes) const override;
  LayerConfig Config() const override;
  const LayerGraph& graph() const { return graph_; }
  // Of the layers where tensors enter, in order.
  std::vector<std::string> input_names() const;
  // The layers that give the outputs, in their order.
  const std::vector<std::string>& output_names() const { return output_names_; }

 protected:
  Structure Call(const Structure& inputs, bool training) override;

 private:
  LayerGraph graph_;
  std::vector<std::string> output_names_;
  std::vector<std::shared_ptr<LayerImpl>> inputs_;
  FunctionalNode functional_;
};

// Layers one after the other.
//
//   Sequential model({
//       Conv2D(32, 3, {.activation = Activation::kRelu}),
//       MaxPooling2D(),
//       Flatten(),
//       Dense(10),
//   });
//   Tensor logits = model(images, /*training=*/true);
//
// With Input({28, 28, 1}) in front the weights are made at once, else by the
// first call or by Build. It is then a model of these calls one after the
// other, a Conv2D with ReLU followed by MaxPooling2D one kernel, and so is a
// BatchNormalization followed by ReLU. Classes derived from these layers' run
// one by one: their Call may be another.
class SequentialImpl : public CompositeLayerImpl {
 public:
  SequentialImpl(const std::vector<Layer>& layers, const std::string& name);

  // Errors: as Sequential::Add.
  void Add(const Layer& layer);
  ShapeStructure ComputeOutputShape(
      const ShapeStructure& input_shapes) const override;
  bool Fuses(const Epilogue& epilogue) const override;
  LayerConfig Config() const override;
  // None until it is built.
  const std::optional<LayerGraph>& graph() const { return graph_; }

 protected:
  void MakeWeights(const ShapeStructure& input_shapes) override;
  Structure Call(const Structure& inputs, bool training) override;
  Structure CallFused(const Structure& inputs, bool training,
                      const Epilogue& epilogue, const Tensor& addend) override;

 private:
  void CheckAddable(const Layer& layer) const;

  std::optional<LayerGraph> graph_;  // once it is built
  Trackable input_node_;  // stands in for an Input that was not given
  FunctionalNode functional_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_LAYERS_MODEL_IMPL_H_
