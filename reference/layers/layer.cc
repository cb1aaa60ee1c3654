#include "reference/layers/layer.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "reference/base/error.h"
#include "reference/layers/layer_impl.h"

namespace lockstep {

const Shape& SymbolicTensor::shape() const {
  if (call_ == nullptr) {
    throw InvalidArgument("[SymbolicTensor] is null: use Input");
  }
  const Shape* shape = nullptr;
  size_t leaf = 0;
  call_->outputs.ForEach([&](const Shape& of) {
    if (leaf++ == index_) shape = &of;
  });
  return *shape;
}

SymbolicTensor SymbolicCall::Enter(std::shared_ptr<LayerImpl> layer,
                                   const Shape& shape) {
  return SymbolicTensor(
      std::make_shared<SymbolicCall>(SymbolicCall{.layer = std::move(layer),
                                                  .inputs = {},
                                                  .outputs = shape,
                                                  .is_input = true}),
      0);
}

SymbolicTensor Input(const Shape& shape, const std::string& name) {
  auto layer = std::make_shared<InputLayerImpl>(shape, name);
  layer->Build(layer->batch_shape());
  const Shape batch_shape = layer->batch_shape();
  return SymbolicCall::Enter(std::move(layer), batch_shape);
}

Layer::Layer(std::shared_ptr<LayerImpl> impl) : impl_(std::move(impl)) {
  if (impl_ == nullptr) throw InvalidArgument("[Layer] there is no layer");
}

Layer::Layer(const SymbolicTensor& input) {
  const SymbolicCall* call = input.call();
  if (call == nullptr || !call->is_input) {
    throw InvalidArgument(
        "[Layer] only a result of Input is also a layer, got {}",
        call == nullptr ? "nothing"
                        : "a result of '" + call->layer->name() + "'");
  }
  impl_ = call->layer;
}

Tensor Layer::operator()(const Tensor& x, bool training) const {
  const Structure y = impl_->Run(x, training);
  if (!y.is_leaf()) {
    throw InvalidArgument("[{}] has {} results: call it with Structure(x)",
                          name(), y.size());
  }
  return y;
}

Structure Layer::operator()(const Structure& inputs, bool training) const {
  return impl_->Run(inputs, training);
}

SymbolicTensor Layer::operator()(const SymbolicTensor& x) const {
  return (*this)(SymbolicStructure(x));
}

SymbolicStructure Layer::operator()(const SymbolicStructure& inputs) const {
  const ShapeStructure shapes =
      inputs.Map<Shape>([](const SymbolicTensor& x) { return x.shape(); });
  impl_->Build(shapes);
  auto call = std::make_shared<const SymbolicCall>(
      SymbolicCall{.layer = impl_,
                   .inputs = inputs,
                   .outputs = impl_->ComputeOutputShape(shapes)});
  size_t index = 0;
  return call->outputs.Map<SymbolicTensor>(
      [&](const Shape&) { return SymbolicTensor(call, index++); });
}

const std::string& Layer::name() const { return impl_->name(); }

bool Layer::built() const { return impl_->built(); }

const DTypePolicy& Layer::dtype_policy() const { return impl_->dtype_policy(); }

void Layer::Build(const ShapeStructure& input_shapes) const {
  impl_->Build(input_shapes);
}

Shape Layer::ComputeOutputShape(const Shape& input_shape) const {
  return impl_->ComputeOutputShape(ShapeStructure(input_shape));
}

ShapeStructure Layer::ComputeOutputShape(
    const ShapeStructure& input_shapes) const {
  return impl_->ComputeOutputShape(input_shapes);
}

std::vector<VariablePtr> Layer::variables() const { return impl_->variables(); }

void Layer::SetTrainable(bool trainable) const {
  impl_->SetTrainable(trainable);
}

bool Layer::trainable() const { return impl_->trainable(); }

std::vector<VariablePtr> Layer::trainable_variables() const {
  return impl_->trainable_variables();
}

std::vector<VariablePtr> Layer::non_trainable_variables() const {
  const std::vector<VariablePtr> trained = trainable_variables();
  std::vector<VariablePtr> others;
  std::ranges::copy_if(variables(), std::back_inserter(others),
                       [&](const VariablePtr& variable) {
                         return std::ranges::find(trained, variable) ==
                                trained.end();
                       });
  return others;
}

std::vector<Tensor> Layer::losses() const { return impl_->losses(); }

Trackable* Layer::trackable() const { return impl_.get(); }

}  // namespace lockstep
