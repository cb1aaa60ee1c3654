// The configuration of an optimizer, schedule or loss in Keras' terms, as in
// files of every format.
//
//   Adam().Config();
//   // {"Adam", {{"learning_rate", 0.001}, {"beta_1", 0.9}, ...}}
#ifndef LOCKSTEP_REFERENCE_BASE_NAMING_OBJECT_CONFIG_H_
#define LOCKSTEP_REFERENCE_BASE_NAMING_OBJECT_CONFIG_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace lockstep {

struct ObjectConfig {
  // Nothing, a flag, numbers, a text, or another object.
  using Value = std::variant<std::monostate, bool, int64_t, double, std::string,
                             std::vector<double>, std::vector<int64_t>,
                             std::shared_ptr<const ObjectConfig>>;

  std::string class_name;
  std::vector<std::pair<std::string, Value>> settings = {};
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_BASE_NAMING_OBJECT_CONFIG_H_
