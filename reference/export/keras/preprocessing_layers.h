// Makers of preprocessing layers of numbers and images, from Keras' files.
#ifndef LOCKSTEP_REFERENCE_EXPORT_KERAS_PREPROCESSING_LAYERS_H_
#define LOCKSTEP_REFERENCE_EXPORT_KERAS_PREPROCESSING_LAYERS_H_

#include "reference/export/keras/layer_registry.h"

namespace lockstep::export_internal {

// Discretization, Normalization, RandomCrop, RandomFlip, Rescaling.
void AddPreprocessingLayers(LayerRegistry& registry);

}  // namespace lockstep::export_internal

#endif  // LOCKSTEP_REFERENCE_EXPORT_KERAS_PREPROCESSING_LAYERS_H_
