// Makes layers by the names of their classes, for loading files.
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

  // Replaces the maker of a class that is already registered.
  void Add(const std::string& class_name, Maker maker);

  // Errors: Unimplemented, with its name, for a class without a maker or a setting
  // that the maker does not support; as the maker.
  Layer Make(ConfigReader& config) const;

 private:
  std::map<std::string, Maker> makers_;
};

// All layers of this library, but not models.
const LayerRegistry& KerasLayers();

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_EXPORT_KERAS_LAYER_REGISTRY_H_
