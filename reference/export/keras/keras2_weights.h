// Weights in TensorFlow's format by Keras 2's names: what tf_keras' save_weights
// writes and its load_weights reads.
//
//   SaveKeras2Weights("weights", model);     // weights.index, weights.data-...
//   model.load_weights("weights")            # tf_keras, in Python
//
// A checkpoint of a Model has Keras 3's names, `_functional/_operations/1/_kernel`,
// of which tf_keras finds none; here they are `layer_with_weights-0/kernel`. A
// variable with a copy for each replica is one value. In cross-replica context.
#ifndef LOCKSTEP_REFERENCE_EXPORT_KERAS_KERAS2_WEIGHTS_H_
#define LOCKSTEP_REFERENCE_EXPORT_KERAS_KERAS2_WEIGHTS_H_

#include <string>

#include "reference/layers/layer.h"

namespace lockstep {

// Errors: InvalidArgument for a layer that is no Sequential or functional model;
// FailedPrecondition for a model without weights; as Checkpoint::Write.
void SaveKeras2Weights(const std::string& prefix, const Layer& model);

// Into a model of the same layers, whatever their names. Where it fails nothing
// has changed. Errors: as above and Checkpoint::Read; FailedPrecondition for a
// variable that the file lacks.
void LoadKeras2Weights(const std::string& prefix, const Layer& model);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_EXPORT_KERAS_KERAS2_WEIGHTS_H_
