// What a file says of a layer, in Keras' words: enough to make it again.
//
//   Dense(10, {.name = "logits"}).impl().Config();
//   // {"Dense", {"name": "logits", "trainable": true, "dtype": ...,
//   //            "units": 10, "activation": "linear", "use_bias": true, ...}}
//
// Keys and values are those of Keras 3.15's get_config. What has one value here
// alone (constraints, "data_format") is left out, and so are initializers: a
// file holds the weights themselves.
//
// A layer writes its own in its .cc:
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

// The name, the policy and that it is trained.
Json BaseConfig(const LayerImpl& layer);

}  // namespace layers_internal

// What all layers say. Errors: Unimplemented for a class derived from T, whose
// Call may be another.
template <typename T>
LayerConfig StartConfig(std::string class_name, const T& layer) {
  if (!layer.template IsExactly<T>()) return layer.LayerImpl::Config();
  return {std::move(class_name), layers_internal::BaseConfig(layer)};
}

// A layer, a regularizer or a policy as it stands in another one's config.
//
//   KerasObject("keras.regularizers", "L2", {{"l2", 0.1}})
//   // {"module": "keras.regularizers", "class_name": "L2",
//   //  "config": {"l2": 0.1}, "registered_name": null}
Json KerasObject(std::string_view module, std::string_view class_name,
                 Json config);
Json LayerObject(const LayerImpl& layer);

// L1, L2, or null for none. Errors: Unimplemented for one of another class.
Json RegularizerConfig(const RegularizerPtr& regularizer);

// [null, 28, 28, 1].
Json ShapeConfig(const Shape& shape);
// "valid", "same".
std::string_view PaddingName(kernels::Padding padding);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_LAYERS_LAYER_CONFIG_H_
