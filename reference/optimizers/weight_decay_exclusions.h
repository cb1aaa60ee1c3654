// Variables that weight decay leaves as they are.
//
//   optimizer.ExcludeFromWeightDecay({.names = {"layer_norm", "bias"}});
#ifndef LOCKSTEP_REFERENCE_OPTIMIZERS_WEIGHT_DECAY_EXCLUSIONS_H_
#define LOCKSTEP_REFERENCE_OPTIMIZERS_WEIGHT_DECAY_EXCLUSIONS_H_

#include <algorithm>
#include <string>
#include <vector>

#include "reference/autodiff/variable.h"

namespace lockstep {

// These variables, and those in whose name ("dense/bias") one of the texts
// occurs. (Keras 3 searches regular expressions in names without the layer's,
// "bias"; tf_keras in names with it.)
struct WeightDecayExclusions {
  std::vector<VariablePtr> variables = {};
  std::vector<std::string> names = {};

  bool empty() const { return variables.empty() && names.empty(); }

  // Whether weight decay applies to each; empty where it applies to all.
  std::vector<bool> DecaysOf(const std::vector<VariablePtr>& variables) const {
    std::vector<bool> decays;
    if (empty()) return decays;
    for (const VariablePtr& each : variables) decays.push_back(!Exclude(each));
    return decays;
  }

  bool Exclude(const VariablePtr& variable) const {
    const auto occurs = [&](const std::string& name) {
      return variable->name().find(name) != std::string::npos;
    };
    return std::ranges::find(variables, variable) != variables.end() ||
           std::ranges::any_of(names, occurs);
  }
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_OPTIMIZERS_WEIGHT_DECAY_EXCLUSIONS_H_
