// Encodes a model's variables as Keras' HDF5 file, and decodes them; and its
// vocabularies, as files beside it.
#ifndef LOCKSTEP_REFERENCE_EXPORT_KERAS_WEIGHTS_IMAGE_H_
#define LOCKSTEP_REFERENCE_EXPORT_KERAS_WEIGHTS_IMAGE_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "reference/layers/layer_impl.h"
#include "reference/optimizers/optimizer.h"

namespace lockstep::export_internal {

// Errors: FailedPrecondition if the model is not built; Unimplemented.
std::string EncodeWeights(const LayerImpl& model, const Optimizer* optimizer);

// The number of elements of a model's weights, without the optimizer's state.
// Errors: as LoadKerasWeights.
int64_t CountElements(std::string_view image, const std::string& origin);

// The bytes of files, by their names: "assets/layers/string_lookup/
// vocabulary.txt".
using Assets = std::map<std::string, std::string>;

// The vocabularies that are not in the config. Errors: those of
// StoredVocabulary and EncodeVocabulary.
Assets EncodeAssets(const LayerImpl& model);

// Reads and checks all values before it assigns any. With `assets`, layers get
// the vocabularies that they learned. Errors: as LoadKerasWeights.
void DecodeWeights(std::string_view image, const std::string& origin,
                   const LayerImpl& model, Optimizer* optimizer,
                   const Assets* assets = nullptr);

}  // namespace lockstep::export_internal

#endif  // LOCKSTEP_REFERENCE_EXPORT_KERAS_WEIGHTS_IMAGE_H_
