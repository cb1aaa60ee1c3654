#include "reference/layers/typed_input.h"

#include <memory>
#include <utility>

#include "reference/base/error.h"
#include "reference/layers/layer_config.h"

namespace lockstep {

LayerConfig TypedInputLayerImpl::Config() const {
  LayerConfig config = InputLayerImpl::Config();
  config.config["dtype"] = DTypeName(dtype_);
  return config;
}

void TypedInputLayerImpl::CheckType(const Tensor& x) const {
  if ((x.dtype() == DType::kString) == (dtype_ == DType::kString)) return;
  throw InvalidArgument("[Input] '{}' was declared {}, got {}", name(),
                        DTypeName(dtype_), Describe(x));
}

Tensor TypedInputLayerImpl::Call(const Tensor& x, bool training) {
  CheckType(x);
  return InputLayerImpl::Call(x, training);
}

SymbolicTensor Input(const Shape& shape, DType dtype, const std::string& name) {
  auto layer = std::make_shared<TypedInputLayerImpl>(shape, dtype, name);
  layer->Build(layer->batch_shape());
  const Shape batch_shape = layer->batch_shape();
  return SymbolicCall::Enter(std::move(layer), batch_shape);
}

}  // namespace lockstep
