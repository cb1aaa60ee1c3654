// Whole models in Keras' .keras files: how they are made, their weights, and how
// they are trained.
//
//   SaveKerasModel("mlp.keras", model,
//                  {.optimizer = KerasObject("keras.optimizers", "Adam",
//                                            {{"learning_rate", 0.01}}),
//                   .loss = "mean_squared_error",
//                   .metrics = {"accuracy"}},
//                  &optimizer);
//   KerasModel loaded = LoadKerasModel("mlp.keras");
//   loaded.model(images);
//
// keras.models.load_model of Keras 3 reads them, predicts and trains on, and
// what its Model.save wrote is read here. In cross-replica context; a model that
// is loaded in a strategy's scope has mirrored variables.
#ifndef LOCKSTEP_REFERENCE_EXPORT_KERAS_KERAS_MODEL_H_
#define LOCKSTEP_REFERENCE_EXPORT_KERAS_KERAS_MODEL_H_

#include <nlohmann/json.hpp>
#include <string>

#include "reference/base/json.h"
#include "reference/export/keras/layer_registry.h"
#include "reference/layers/layer.h"
#include "reference/optimizers/optimizer.h"

namespace lockstep {

// What Keras' Model.compile gets, each a name, an object (KerasObject in
// layers/layer_config.h), a list of them, or null for none. Without an
// optimizer and a loss the model is not compiled when it is loaded.
struct KerasCompileConfig {
  Json optimizer = nullptr;
  Json loss = nullptr;
  Json metrics = nullptr;
};

// The file appears whole or not at all; an older one stays until then. Errors:
// as SaveKerasWeights; InvalidArgument for an optimizer's state without its
// name, which Keras would drop in silence.
void SaveKerasModel(const std::string& path, const Layer& model,
                    const KerasCompileConfig& compile_config = {},
                    const Optimizer* optimizer = nullptr);

// A file that is read once, where an optimizer has to be made between the model
// and the weights.
//
//   const KerasFile file("mlp.keras");
//   const Layer model = file.MakeModel();
//   auto optimizer = MakeOptimizer(file.compile_config().optimizer);
//   file.LoadWeights(model, optimizer.get());
class KerasFile {
 public:
  // Errors: as LoadKerasWeights of what is no archive of a model.
  explicit KerasFile(const std::string& path);

  const KerasCompileConfig& compile_config() const { return compile_config_; }
  // With new weights. Errors, and what else holds: as LoadKerasModel.
  Layer MakeModel(const LayerRegistry& layers = KerasLayers()) const;
  // As LoadKerasWeights.
  void LoadWeights(const Layer& model, Optimizer* optimizer = nullptr) const;

 private:
  std::string path_;
  std::string weights_;  // the member's bytes
  Json config_;
  KerasCompileConfig compile_config_;
};

struct KerasModel {
  Layer model;
  KerasCompileConfig compile_config;
};

// With weights; the names of layers are the file's. While it runs no other thread
// makes layers by the global policy. Errors: as LoadKerasWeights;
// Unimplemented for classes that `layers` does not have and settings that are
// not offered, with their names.
KerasModel LoadKerasModel(const std::string& path,
                          const LayerRegistry& layers = KerasLayers());

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_EXPORT_KERAS_KERAS_MODEL_H_
