// Layers by the names of their classes: how those of a file are made.
//
//   LayerRegistry registry = KerasLayers();
//   registry.Add("Doubling", [](ConfigReader& config) {
//     return MakeLayer<DoublingImpl>(config.name());
//   });
//   LoadKerasModel("model.keras", registry);
#ifndef LOCKSTEP_REFERENCE_EXPORT_KERAS_LAYER_REGISTRY_H_
#define LOCKSTEP_REFERENCE_EXPORT_KERAS_LAYER_REGISTRY_H_

#include <functional>
#include <map>
#include <string>

#include "reference/layers/layer.h"

namespace lockstep {

class ConfigReader;

class LayerRegistry {
 public:
  using Maker = std::function<Layer(ConfigReader& config)>;

  // A maker of a class that is there already takes its place.
  void Add(const std::string& class_name, Maker maker);

  // Errors: Unimplemented for a class that has no maker, with its name, and for
  // settings that the maker does not know; the maker's.
  Layer Make(ConfigReader& config) const;

 private:
  std::map<std::string, Maker> makers_;
};

// All layers there are but models, which are made of them.
const LayerRegistry& KerasLayers();

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_EXPORT_KERAS_LAYER_REGISTRY_H_
