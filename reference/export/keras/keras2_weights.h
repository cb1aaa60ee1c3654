// Weights in TensorFlow's format with the names of Keras 2, which tf_keras'
// save_weights writes and load_weights reads.
//
//   SaveKeras2Weights("weights", model);     // weights.index, weights.data-...
//   model.load_weights("weights")            # tf_keras, in Python
//
// A checkpoint of a Model has Keras 3's names, such as
// `_functional/_operations/1/_kernel`, which tf_keras does not find. Here they are
// names such as `layer_with_weights-0/kernel`. A variable with a copy on each
// replica is one value. REQUIRES: cross-replica context.
#ifndef LOCKSTEP_REFERENCE_EXPORT_KERAS_KERAS2_WEIGHTS_H_
#define LOCKSTEP_REFERENCE_EXPORT_KERAS_KERAS2_WEIGHTS_H_

#include <string>

#include "reference/layers/layer.h"

namespace lockstep {

// Errors: InvalidArgument if `model` is not a Sequential or functional model;
// FailedPrecondition if it has no weights; Unimplemented for a layer with a
// vocabulary, such as StringLookup; as Checkpoint::Write.
void SaveKeras2Weights(const std::string& prefix, const Layer& model);

// Loads into a model with the same layers; their names may differ. If it fails,
// the model is unchanged. Errors: as above and Checkpoint::Read;
// FailedPrecondition if a variable is not in the file.
void LoadKeras2Weights(const std::string& prefix, const Layer& model);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_EXPORT_KERAS_KERAS2_WEIGHTS_H_
