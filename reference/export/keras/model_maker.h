// Models of what Keras' config.json says of them.
#ifndef LOCKSTEP_REFERENCE_EXPORT_KERAS_MODEL_MAKER_H_
#define LOCKSTEP_REFERENCE_EXPORT_KERAS_MODEL_MAKER_H_

#include "reference/base/json.h"
#include "reference/export/keras/layer_registry.h"
#include "reference/layers/layer.h"

namespace lockstep::export_internal {

// A Sequential, a functional model or a layer, as LayerObject
// (layers/layer_config.h) writes it, with new weights. Errors: InvalidArgument
// for what does not fit together; Unimplemented for classes and settings that
// are not offered.
Layer MakeFromConfig(const Json& object, const LayerRegistry& registry);

}  // namespace lockstep::export_internal

#endif  // LOCKSTEP_REFERENCE_EXPORT_KERAS_MODEL_MAKER_H_
