// A layer's config (layers/layer_config.h), read back.
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

// What a maker of layers asks for; what it did not ask for has to be of no
// effect.
//
//   Layer MakeDense(ConfigReader& config) {
//     return Dense(config.Integer("units"), {.use_bias = config.Flag("use_bias", true),
//                                            .name = config.name()});
//   }
//
// Errors of all: InvalidArgument, with the layer and the key, for a value that
// is missing, of another type, or an integer beyond kLargestInteger.
class ConfigReader {
 public:
  static constexpr int64_t kLargestInteger = int64_t{1} << 31;

  // REQUIRES: `config` lives as long as this. Errors: InvalidArgument for what
  // is no object, and for no name.
  ConfigReader(std::string class_name, const Json& config);

  const std::string& class_name() const { return class_name_; }
  const std::string& name() const { return name_; }

  int64_t Integer(const std::string& key);
  double Number(const std::string& key, double otherwise);
  bool Flag(const std::string& key, bool otherwise);
  std::string Text(const std::string& key, const std::string& otherwise);
  // A list, or one number for all.
  std::array<int64_t, 2> Pair(const std::string& key);
  // A list with null for what is unknown.
  Shape ShapeAt(const std::string& key);
  // L1, L2 or none. Errors: also Unimplemented for others.
  RegularizerPtr RegularizerAt(const std::string& key);
  // "dtype"; Keras' default where it is not there.
  DTypePolicy Policy();
  // As it is; nullptr where there is none.
  const Json* Find(const std::string& key);

  // Errors: Unimplemented for a key that nobody asked for and whose value is
  // not what it is without it. Initializers do not count: weights follow.
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
