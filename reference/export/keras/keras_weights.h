// Weights in Keras' files: .weights.h5, and the weights in a .keras file.
//
//   SaveKerasWeights("mlp.weights.h5", model, &optimizer);
//   LoadKerasWeights("mlp.weights.h5", model, &optimizer);
//
// Keras 3 reads them with model.load_weights, and LoadKerasWeights reads the files
// of Keras' save_weights and save. A variable with a copy on each replica is one
// value, so a file fits any number of replicas. REQUIRES: cross-replica context.
#ifndef LOCKSTEP_REFERENCE_EXPORT_KERAS_KERAS_WEIGHTS_H_
#define LOCKSTEP_REFERENCE_EXPORT_KERAS_KERAS_WEIGHTS_H_

#include <string>

#include "reference/layers/layer.h"
#include "reference/optimizers/optimizer.h"

namespace lockstep {

// Replaces the file atomically. If an optimizer is given, also saves its state.
// Errors: FailedPrecondition if the model has no weights because it is not built;
// Unimplemented for a layer of a custom class without a Config; as AtomicFile.
void SaveKerasWeights(const std::string& path, const Layer& model,
                      const Optimizer* optimizer = nullptr);

// Loads into a model with the same layers; their names may differ. If an optimizer
// is given, also loads its state, in the scope of its strategy. If it fails, the
// model and the optimizer are unchanged.
// Errors: NotFound if the file does not exist or has no value for a variable;
// DataLoss if it is damaged; InvalidArgument if a variable has another shape or
// kind, or is not in the model; FailedPrecondition as above.
void LoadKerasWeights(const std::string& path, const Layer& model,
                      Optimizer* optimizer = nullptr);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_EXPORT_KERAS_KERAS_WEIGHTS_H_
