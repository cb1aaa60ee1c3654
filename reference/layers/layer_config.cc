#include "reference/layers/layer_config.h"

#include <utility>

#include "reference/base/error.h"

namespace lockstep {

LayerConfig LayerImpl::Config() const {
  throw Unimplemented(
      "[Config] the class of '{}' does not say how it is made (Config): no "
      "file can hold it",
      name());
}

LayerConfig InputLayerImpl::Config() const {
  return {"InputLayer",
          {{"batch_shape", ShapeConfig(batch_shape())},
           {"dtype", "float32"},
           {"name", name()}}};
}

namespace layers_internal {

Json BaseConfig(const LayerImpl& layer) {
  return {{"name", layer.name()},
          {"trainable", layer.trainable()},
          {"dtype", KerasObject("keras", "DTypePolicy",
                                {{"name", layer.dtype_policy().name()}})}};
}

}  // namespace layers_internal

Json KerasObject(std::string_view module, std::string_view class_name,
                 Json config) {
  return {{"module", module},
          {"class_name", class_name},
          {"config", std::move(config)},
          {"registered_name", nullptr}};
}

namespace {

// The module of a class in Keras 3.15.
std::string_view ModuleOf(std::string_view class_name) {
  if (class_name == "Sequential") return "keras";
  if (class_name == "Functional") return "keras.src.models.functional";
  return "keras.layers";
}

}  // namespace

Json LayerObject(const LayerImpl& layer) {
  LayerConfig config = layer.Config();
  const std::string_view module = ModuleOf(config.class_name);
  Json object =
      KerasObject(module, config.class_name, std::move(config.config));
  if (config.class_name == "Functional") {
    object["registered_name"] = "Functional";
  }
  return object;
}

Json RegularizerConfig(const RegularizerPtr& regularizer) {
  if (regularizer == nullptr) return nullptr;
  if (const auto* l1 = dynamic_cast<const L1*>(regularizer.get())) {
    return KerasObject("keras.regularizers", "L1", {{"l1", l1->factor()}});
  }
  if (const auto* l2 = dynamic_cast<const L2*>(regularizer.get())) {
    return KerasObject("keras.regularizers", "L2", {{"l2", l2->factor()}});
  }
  throw Unimplemented("[Config] no file can hold a regularizer of one's own");
}

Json ShapeConfig(const Shape& shape) {
  Json dims = Json::array();
  for (const int64_t dim : shape.dims()) {
    dims.push_back(dim == kUnknownDim ? Json(nullptr) : Json(dim));
  }
  return dims;
}

std::string_view PaddingName(kernels::Padding padding) {
  return padding == kernels::Padding::kSame ? "same" : "valid";
}

}  // namespace lockstep
