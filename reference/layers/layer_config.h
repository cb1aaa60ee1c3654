// The configuration of a layer in files, in Keras' format, from which it can be
// recreated.
//
//   Dense(10, {.name = "logits"}).impl().Config();
//   // {"Dense", {"name": "logits", "trainable": true, "dtype": ...,
//   //            "units": 10, "activation": "linear", "use_bias": true, ...}}
//
// Keys and values are those of Keras 3.15's get_config, without options that
// have only one value here (constraints, "data_format") and without
// initializers, because files contain the weights.
//
// Each layer implements it:
//
//   LayerConfig FlattenImpl::Config() const {
//     return StartConfig<FlattenImpl>("Flatten", *this);
//   }
#ifndef LOCKSTEP_REFERENCE_LAYERS_LAYER_CONFIG_H_
#define LOCKSTEP_REFERENCE_LAYERS_LAYER_CONFIG_H_

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "reference/base/json.h"
#include "reference/kernels/windows.h"
#include "reference/layers/layer_impl.h"
#include "reference/regularizers/regularizer.h"

namespace lockstep {

struct LayerConfig {
  std::string class_name;  // "Dense"
  Json config;
};

namespace layers_internal {

// The name, the policy and the trainable flag.
Json BaseConfig(const LayerImpl& layer);

}  // namespace layers_internal

// The configuration common to all layers. Errors: Unimplemented for a class
// derived from T, whose Call may differ.
template <typename T>
LayerConfig StartConfig(std::string class_name, const T& layer) {
  if (!layer.template IsExactly<T>()) return layer.LayerImpl::Config();
  return {std::move(class_name), layers_internal::BaseConfig(layer)};
}

// A layer, regularizer or policy inside another configuration.
//
//   KerasObject("keras.regularizers", "L2", {{"l2", 0.1}})
//   // {"module": "keras.regularizers", "class_name": "L2",
//   //  "config": {"l2": 0.1}, "registered_name": null}
Json KerasObject(std::string_view module, std::string_view class_name,
                 Json config);
Json LayerObject(const LayerImpl& layer);

// L1, L2, or null for none. Errors: Unimplemented for another class.
Json RegularizerConfig(const RegularizerPtr& regularizer);

// [null, 28, 28, 1].
Json ShapeConfig(const Shape& shape);
// "valid", "same".
std::string_view PaddingName(kernels::Padding padding);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_LAYERS_LAYER_CONFIG_H_
