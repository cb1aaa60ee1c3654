// Makes models from Keras' config.json.
#ifndef LOCKSTEP_REFERENCE_EXPORT_KERAS_MODEL_MAKER_H_
#define LOCKSTEP_REFERENCE_EXPORT_KERAS_MODEL_MAKER_H_

#include "reference/base/json.h"
#include "reference/export/keras/layer_registry.h"
#include "reference/layers/layer.h"

namespace lockstep::export_internal {

// Makes a Sequential, a functional model or a layer, with initial weights, from an
// object that LayerObject (layers/layer_config.h) writes. Errors: InvalidArgument
// if the config is inconsistent; Unimplemented for classes and settings that are
// not supported.
Layer MakeFromConfig(const Json& object, const LayerRegistry& registry);

}  // namespace lockstep::export_internal

#endif  // LOCKSTEP_REFERENCE_EXPORT_KERAS_MODEL_MAKER_H_
