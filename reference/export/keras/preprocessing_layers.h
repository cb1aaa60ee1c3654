// Makers of preprocessing layers, from Keras' files.
#ifndef LOCKSTEP_REFERENCE_EXPORT_KERAS_PREPROCESSING_LAYERS_H_
#define LOCKSTEP_REFERENCE_EXPORT_KERAS_PREPROCESSING_LAYERS_H_

#include "reference/export/keras/layer_registry.h"

namespace lockstep::export_internal {

// Of numbers and images: Discretization, Normalization, RandomCrop, RandomFlip,
// RandomRotation, Rescaling.
void AddPreprocessingLayers(LayerRegistry& registry);
// Of words and categories: CategoryEncoding, HashedCrossing, Hashing,
// IntegerLookup, StringLookup, TextVectorization. A layer that learned its
// vocabulary gets it later (weights_image.h).
void AddWordLayers(LayerRegistry& registry);

}  // namespace lockstep::export_internal

#endif  // LOCKSTEP_REFERENCE_EXPORT_KERAS_PREPROCESSING_LAYERS_H_
