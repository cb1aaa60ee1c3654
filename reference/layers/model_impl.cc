#include "reference/layers/model_impl.h"

#include <algorithm>
#include <set>
#include <utility>

#include "reference/base/error.h"

namespace lockstep {

void FunctionalNode::NameParts(Trackable& owner) {
  // In the order Keras 3.15 tracks them.
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

ShapeStructure ModelImpl::ComputeOutputShape(
    const ShapeStructure& input_shapes) const {
  return graph_.ComputeOutputShape(input_shapes);
}

Structure ModelImpl::Call(const Structure& inputs, bool training) {
  size_t next = 0;
  inputs.ForEach([&](const Tensor& x) {
    if (next == inputs_.size()) return;  // the graph says what is wrong
    inputs_[next++]->ComputeOutputShape(ShapeStructure(x.shape()));
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
  ComputeOutputShape(input_shapes);  // all errors before the first weight
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

}  // namespace lockstep
