// A model's variables as the bytes of Keras' HDF5 file, and back.
#ifndef LOCKSTEP_REFERENCE_EXPORT_KERAS_WEIGHTS_IMAGE_H_
#define LOCKSTEP_REFERENCE_EXPORT_KERAS_WEIGHTS_IMAGE_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "reference/layers/layer_impl.h"
#include "reference/optimizers/optimizer.h"

namespace lockstep::export_internal {

// Errors: FailedPrecondition for a model that is not built; Unimplemented.
std::string EncodeWeights(const LayerImpl& model, const Optimizer* optimizer);

// Of all that it holds but an optimizer's state. Errors: as LoadKerasWeights.
int64_t CountElements(std::string_view image, const std::string& origin);

// Reads and checks all, then assigns. Errors: as LoadKerasWeights.
void DecodeWeights(std::string_view image, const std::string& origin,
                   const LayerImpl& model, Optimizer* optimizer);

}  // namespace lockstep::export_internal

#endif  // LOCKSTEP_REFERENCE_EXPORT_KERAS_WEIGHTS_IMAGE_H_
