#include "reference/layers/model_impl.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "reference/base/error.h"
#include "reference/layers/layer_config.h"
#include "reference/layers/typed_input.h"
#include "reference/tensor/dtype.h"

namespace lockstep {

void FunctionalNode::NameParts(Trackable& owner) {
  // In the order in which Keras 3.15 tracks them.
  constexpr std::array kEmptyNodes = {"_tracked",
                                      "_inbound_nodes",
                                      "_outbound_nodes",
                                      "_losses",
                                      "_losses_override",
                                      "call_signature_parameters",
                                      "_call_has_context_arg"};
  static_assert(kEmptyNodes.size() == std::tuple_size_v<decltype(empty_)>);
  for (size_t i = 0; i < kEmptyNodes.size(); ++i) {
    owner.TrackChild(kEmptyNodes[i], empty_[i]);
  }
  owner.TrackChild("_operations", operations_);
}

ModelImpl::ModelImpl(const SymbolicStructure& inputs,
                     const SymbolicStructure& outputs, const std::string& name)
    : CompositeLayerImpl(name.empty() ? UniqueName("functional") : name),
      graph_(inputs, outputs) {
  inputs.ForEach(
      [&](const SymbolicTensor& x) { inputs_.push_back(x.call()->layer); });
  outputs.ForEach([&](const SymbolicTensor& y) {
    output_names_.push_back(y.call()->layer->name());
  });
  layers_ = graph_.layers();
  std::set<std::string> names;
  for (const Layer& layer : layers_) {
    if (!names.insert(layer.name()).second) {
      throw InvalidArgument("[Model] two layers are named '{}'", layer.name());
    }
    functional_.AddOperation(layer.impl());
  }
  functional_.NameParts(*this);
  Build(inputs.Map<Shape>([](const SymbolicTensor& x) { return x.shape(); }));
}

std::vector<std::string> ModelImpl::input_names() const {
  std::vector<std::string> names;
  for (const auto& input : inputs_) names.push_back(input->name());
  return names;
}

ShapeStructure ModelImpl::ComputeOutputShape(
    const ShapeStructure& input_shapes) const {
  return graph_.ComputeOutputShape(input_shapes);
}

Structure ModelImpl::Call(const Structure& inputs, bool training) {
  size_t next = 0;
  inputs.ForEach([&](const Tensor& x) {
    if (next == inputs_.size()) return;  // the graph reports the error
    const LayerImpl& input = *inputs_[next++];
    input.ComputeOutputShape(ShapeStructure(x.shape()));
    const auto* typed = dynamic_cast<const TypedInputLayerImpl*>(&input);
    if (typed != nullptr) typed->CheckType(x);
  });
  return graph_.Run(inputs, training);
}

namespace {

bool IsInput(const Layer& layer) {
  return dynamic_cast<const InputLayerImpl*>(&layer.impl()) != nullptr;
}

}  // namespace

SequentialImpl::SequentialImpl(const std::vector<Layer>& layers,
                               const std::string& name)
    : CompositeLayerImpl(name.empty() ? UniqueName("sequential") : name) {
  for (const Layer& layer : layers) {
    CheckAddable(layer);
    layers_.push_back(layer);
  }
  if (!layers_.empty() && IsInput(layers_[0])) {
    Build(static_cast<InputLayerImpl&>(layers_[0].impl()).batch_shape());
  }
}

void SequentialImpl::Add(const Layer& layer) {
  if (built()) {
    throw FailedPrecondition(
        "[Sequential] '{}' has its weights: add layers before", name());
  }
  CheckAddable(layer);
  layers_.push_back(layer);
}

void SequentialImpl::CheckAddable(const Layer& layer) const {
  const auto same_name = [&](const Layer& other) {
    return other.name() == layer.name();
  };
  if (std::ranges::any_of(layers_, same_name)) {
    throw InvalidArgument("[Sequential] two layers are named '{}'",
                          layer.name());
  }
  if (IsInput(layer) && !layers_.empty()) {
    throw InvalidArgument("[Sequential] an Input comes first, got it as {}",
                          layers_.size());
  }
}

ShapeStructure SequentialImpl::ComputeOutputShape(
    const ShapeStructure& input_shapes) const {
  ShapeStructure shapes = input_shapes;
  for (const Layer& layer : layers_) shapes = layer.ComputeOutputShape(shapes);
  return shapes;
}

void SequentialImpl::MakeWeights(const ShapeStructure& input_shapes) {
  ComputeOutputShape(
      input_shapes);  // throws before the first weight is created
  const SymbolicStructure x = input_shapes.Map<SymbolicTensor>(
      [](const Shape& of) { return SymbolicCall::Enter(nullptr, of); });
  SymbolicStructure y = x;
  for (const Layer& layer : layers_) y = layer(y);
  graph_.emplace(x, y);
  if (layers_.empty() || !IsInput(layers_[0])) {
    functional_.AddOperation(input_node_);
  }
  for (const Layer& layer : layers_) functional_.AddOperation(layer.impl());
  TrackChild("_functional", functional_);
}

bool SequentialImpl::Fuses(const Epilogue& epilogue) const {
  return IsExactly<SequentialImpl>() && graph_ && graph_->Fuses(epilogue);
}

Structure SequentialImpl::Call(const Structure& inputs, bool training) {
  return graph_->Run(inputs, training);
}

Structure SequentialImpl::CallFused(const Structure& inputs, bool training,
                                    const Epilogue& epilogue,
                                    const Tensor& addend) {
  return Fuses(epilogue) ? graph_->Run(inputs, training, epilogue, addend)
                         : CompositeLayerImpl::CallFused(inputs, training,
                                                         epilogue, addend);
}

// Keras' config of Functional and Sequential.
namespace {

// The origin of a tensor: result `tensor` of a layer's call `node`.
struct Origin {
  const LayerImpl* layer;
  int node;
  int tensor;

  Json History() const { return {layer->name(), node, tensor}; }
};

// A nest as lists and objects.
Json NestConfig(const Nest<int>& nest, const auto& leaf) {
  if (nest.is_leaf()) return leaf(nest.leaf());
  const bool is_list = nest.kind() == NestKind::kTuple;
  Json config = is_list ? Json::array() : Json::object();
  for (size_t i = 0; i < nest.size(); ++i) {
    Json item = NestConfig(nest.items()[i], leaf);
    if (is_list) {
      config.push_back(std::move(item));
    } else {
      config[nest.keys()[i]] = std::move(item);
    }
  }
  return config;
}

class GraphConfig {
 public:
  GraphConfig(const LayerGraph& graph,
              const std::vector<std::shared_ptr<LayerImpl>>& inputs)
      : graph_(graph), origins_(graph.shapes().size()) {
    size_t next = 0;
    graph.inputs().ForEach([&](int place) {
      origins_[place] = {inputs[next].get(), 0, 0};
      nodes_[inputs[next++].get()] = Json::array();
    });
    for (const LayerGraph::LayerCall& call : graph.calls()) AddCall(call);
  }

  Json Layers() const {
    Json layers = Json::array();
    for (const Layer& layer : graph_.layers()) {
      Json object = LayerObject(layer.impl());
      object["name"] = layer.name();
      object["inbound_nodes"] = nodes_.at(&layer.impl());
      layers.push_back(std::move(object));
    }
    return layers;
  }

  Json Histories(const Nest<int>& places) const {
    return NestConfig(places,
                      [&](int place) { return origins_[place].History(); });
  }

 private:
  void AddCall(const LayerGraph::LayerCall& call) {
    Json& nodes = nodes_[call.layer.get()];
    if (nodes.is_null()) nodes = Json::array();
    const int node = static_cast<int>(nodes.size());
    for (size_t i = 0; i < call.outputs.size(); ++i) {
      origins_[call.outputs[i]] = {call.layer.get(), node, static_cast<int>(i)};
    }
    Json argument =
        NestConfig(call.inputs, [&](int place) { return TensorConfig(place); });
    const bool is_list = !call.layer->TakesArguments() || !argument.is_array();
    Json arguments = is_list ? Json::array({argument}) : std::move(argument);
    nodes.push_back(
        {{"args", std::move(arguments)}, {"kwargs", Json::object()}});
  }

  Json TensorConfig(int place) const {
    const Origin& origin = origins_[place];
    const auto* input = dynamic_cast<const TypedInputLayerImpl*>(origin.layer);
    const DType dtype = input != nullptr
                            ? input->dtype()
                            : origin.layer->dtype_policy().compute_dtype();
    return {{"class_name", "__keras_tensor__"},
            {"config",
             {{"shape", ShapeConfig(graph_.shapes()[place])},
              {"dtype", DTypeName(dtype)},
              {"keras_history", origin.History()}}}};
  }

  const LayerGraph& graph_;
  std::vector<Origin> origins_;  // of each tensor
  std::map<const LayerImpl*, Json> nodes_;
};

}  // namespace

LayerConfig ModelImpl::Config() const {
  LayerConfig config = StartConfig("Functional", *this);
  config.config.erase("dtype");
  const GraphConfig graph(graph_, inputs_);
  config.config["layers"] = graph.Layers();
  config.config["input_layers"] = graph.Histories(graph_.inputs());
  config.config["output_layers"] = graph.Histories(graph_.outputs());
  return config;
}

LayerConfig SequentialImpl::Config() const {
  LayerConfig config = StartConfig("Sequential", *this);
  Json layers = Json::array();
  for (const Layer& layer : layers_)
    layers.push_back(LayerObject(layer.impl()));
  if (graph_ && graph_->inputs().is_leaf()) {
    const Shape& shape = graph_->shapes()[graph_->inputs().leaf()];
    // Keras creates the weights at once if an Input states the shape.
    if (layers_.empty() || layers[0]["class_name"] != "InputLayer") {
      const InputLayerImpl input(shape.Tail(), "input_layer");
      layers.insert(layers.begin(), LayerObject(input));
    }
    config.config["build_input_shape"] = ShapeConfig(shape);
  }
  config.config["layers"] = std::move(layers);
  return config;
}

}  // namespace lockstep
