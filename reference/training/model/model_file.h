// Saves and loads whole models: layers, weights, and the training configuration.
//
//   model.Save("mlp.keras");
//   Model again = LoadModel("mlp.keras");
//   again.Fit(dataset, {.epochs = 2, .initial_epoch = 1});
#ifndef LOCKSTEP_REFERENCE_TRAINING_MODEL_MODEL_FILE_H_
#define LOCKSTEP_REFERENCE_TRAINING_MODEL_MODEL_FILE_H_

#include <string>

#include "reference/cluster/topology.h"
#include "reference/training/model/model.h"

namespace lockstep {

struct LoadModelOptions {
  // Compiles the model as it was when it was saved, with the optimizer's state.
  bool compile = true;
};

// Loads a file of our Model::Save or Keras 3's into the current scope; in a
// strategy's scope, its replicas train the model further. Errors: NotFound;
// DataLoss; Unimplemented, with its name, for a layer, loss, optimizer or setting
// that is not supported; InvalidArgument if it is not a model.
Model LoadModel(const std::string& path, const LoadModelOptions& options = {});

// Implements Model::Save; `compiled` is nullptr if the model is not compiled.
void SaveModelFile(const Layer& model, const CompiledModel* compiled,
                   const std::string& path, const Topology& topology);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_TRAINING_MODEL_MODEL_FILE_H_
