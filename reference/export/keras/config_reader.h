// Reads a layer's config (layers/layer_config.h).
#ifndef LOCKSTEP_REFERENCE_EXPORT_KERAS_CONFIG_READER_H_
#define LOCKSTEP_REFERENCE_EXPORT_KERAS_CONFIG_READER_H_

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "reference/base/error.h"
#include "reference/base/json.h"
#include "reference/layers/dtype_policy.h"
#include "reference/regularizers/regularizer.h"
#include "reference/tensor/shape.h"

namespace lockstep {

// Returns settings by key. CheckAllRead then refuses a config with a setting that
// was not read and that has an effect.
//
//   Layer MakeDense(ConfigReader& config) {
//     return Dense(config.Integer("units"), {.use_bias = config.Flag("use_bias", true),
//                                            .name = config.name()});
//   }
//
// Each getter's errors: InvalidArgument, with the layer and the key, if a value
// is missing, has another type, or is an integer beyond kLargestInteger.
class ConfigReader {
 public:
  static constexpr int64_t kLargestInteger = int64_t{1} << 31;

  // REQUIRES: `config` outlives this object. Errors: InvalidArgument if it is not
  // an object or has no name.
  ConfigReader(std::string class_name, const Json& config);

  const std::string& class_name() const { return class_name_; }
  const std::string& name() const { return name_; }

  int64_t Integer(const std::string& key);
  // Nothing if it is missing or null.
  std::optional<int64_t> FindInteger(const std::string& key);
  double Number(const std::string& key, double otherwise);
  bool Flag(const std::string& key, bool otherwise);
  std::string Text(const std::string& key, const std::string& otherwise);
  // A list of two, or one number for both.
  std::array<int64_t, 2> Pair(const std::string& key);
  // A list, with null for an unknown dimension.
  Shape ShapeAt(const std::string& key);
  // L1, L2 or nullptr. Errors: also Unimplemented for others.
  RegularizerPtr RegularizerAt(const std::string& key);
  // "dtype"; Keras' default if it is missing.
  DTypePolicy Policy();
  // The value as JSON; nullptr if it is missing.
  const Json* Find(const std::string& key);

  // Errors: Unimplemented if there is a key that was not read, with a value other
  // than the default. Ignores initializers, because weights are loaded later.
  void CheckAllRead() const;

 private:
  const Json& At(const std::string& key);
  static std::optional<int64_t> BoundedInteger(const Json& value);
  Error Wrong(const std::string& key, std::string_view wanted) const;

  std::string class_name_;
  const Json& config_;
  std::string name_;
  std::set<std::string> read_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_EXPORT_KERAS_CONFIG_READER_H_
