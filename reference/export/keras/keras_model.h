// Whole models in Keras' .keras files: their layers, weights and training
// configuration.
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
// Keras 3 can load them with keras.models.load_model, predict and train further.
// LoadKerasModel reads the files of Keras 3's Model.save. A model that is loaded in
// a strategy's scope has mirrored variables. REQUIRES: cross-replica context.
#ifndef LOCKSTEP_REFERENCE_EXPORT_KERAS_KERAS_MODEL_H_
#define LOCKSTEP_REFERENCE_EXPORT_KERAS_KERAS_MODEL_H_

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "reference/base/json.h"
#include "reference/export/keras/layer_registry.h"
#include "reference/layers/layer.h"
#include "reference/optimizers/optimizer.h"

namespace lockstep {

// The arguments of Keras' Model.compile. Each is a name, an object (KerasObject in
// layers/layer_config.h), a list of these, or null for none. Keras compiles the
// model when it loads it only if there are an optimizer and a loss.
struct KerasCompileConfig {
  Json optimizer = nullptr;
  Json loss = nullptr;
  Json metrics = nullptr;
};

// Replaces the file atomically. Errors: as SaveKerasWeights; InvalidArgument if
// there is an `optimizer` but none in `compile_config`, because Keras would
// silently drop its state.
void SaveKerasModel(const std::string& path, const Layer& model,
                    const KerasCompileConfig& compile_config = {},
                    const Optimizer* optimizer = nullptr);

// A file that is read once, for callers that create an optimizer after the model
// and before its weights are loaded.
//
//   const KerasFile file("mlp.keras");
//   const Layer model = file.MakeModel();
//   auto optimizer = MakeOptimizer(file.compile_config().optimizer);
//   file.LoadWeights(model, optimizer.get());
class KerasFile {
 public:
  // Errors: as LoadKerasWeights.
  explicit KerasFile(const std::string& path);

  const KerasCompileConfig& compile_config() const { return compile_config_; }
  // Makes the model with initial weights. Otherwise as LoadKerasModel.
  Layer MakeModel(const LayerRegistry& layers = KerasLayers()) const;
  // As LoadKerasWeights.
  void LoadWeights(const Layer& model, Optimizer* optimizer = nullptr) const;

 private:
  std::string path_;
  std::string weights_;  // the member's bytes
  std::map<std::string, std::string> assets_;
  Json config_;
  KerasCompileConfig compile_config_;
};

struct KerasModel {
  Layer model;
  KerasCompileConfig compile_config;
};

// Loads the model with its weights; layers have the names in the file. REQUIRES:
// no other thread creates layers with the global policy meanwhile. Errors: as
// LoadKerasWeights; Unimplemented, with its name, for a class that `layers` does
// not have or a setting that is not supported.
KerasModel LoadKerasModel(const std::string& path,
                          const LayerRegistry& layers = KerasLayers());

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_EXPORT_KERAS_KERAS_MODEL_H_
