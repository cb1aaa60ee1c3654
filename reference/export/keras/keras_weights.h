// Weights in Keras' files: .weights.h5, and what a .keras file holds of them.
//
//   SaveKerasWeights("mlp.weights.h5", model, &optimizer);
//   LoadKerasWeights("mlp.weights.h5", model, &optimizer);
//
// Keras 3 reads them by model.load_weights, and what its save_weights and save
// wrote is read here. A variable with a copy for each replica is one value, as
// if the model were not distributed; a file fits any number of replicas. In
// cross-replica context.
#ifndef LOCKSTEP_REFERENCE_EXPORT_KERAS_KERAS_WEIGHTS_H_
#define LOCKSTEP_REFERENCE_EXPORT_KERAS_KERAS_WEIGHTS_H_

#include <string>

#include "reference/layers/layer.h"
#include "reference/optimizers/optimizer.h"

namespace lockstep {

// The file appears whole or not at all; an older one stays until then. Of the
// optimizer, where one is given, its whole state.
// Errors: FailedPrecondition for a model without weights, which it has once it
// is built; Unimplemented for a layer of a class of one's own without a Config;
// as AtomicFile.
void SaveKerasWeights(const std::string& path, const Layer& model,
                      const Optimizer* optimizer = nullptr);

// Into a model of the same layers, whatever their names. An optimizer gets its
// state too, in the scope of its strategy; without one it is passed over. Where
// it fails nothing has changed.
// Errors: NotFound for no such file and for a variable that it lacks; DataLoss
// for what is damaged; InvalidArgument for a variable of another shape or kind,
// and for one that the model lacks; FailedPrecondition as above.
void LoadKerasWeights(const std::string& path, const Layer& model,
                      Optimizer* optimizer = nullptr);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_EXPORT_KERAS_KERAS_WEIGHTS_H_
