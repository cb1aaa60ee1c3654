// Whole models in files: layers, weights, and what they are trained by.
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
  // As it was, with the optimizer's state; else it is not compiled.
  bool compile = true;
};

// What Model::Save of this or Keras 3 wrote, in the scope that is open: under a
// strategy its replicas train on. Errors: NotFound, DataLoss; Unimplemented for
// layers, losses, optimizers and settings that are not offered, with their
// names; InvalidArgument for what is no model.
Model LoadModel(const std::string& path, const LoadModelOptions& options = {});

// Model::Save; `compiled` is nullptr where it was not.
void SaveModelFile(const Layer& model, const CompiledModel* compiled,
                   const std::string& path, const Topology& topology);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_TRAINING_MODEL_MODEL_FILE_H_
