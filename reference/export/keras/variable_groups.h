// Where Keras keeps each variable of a model in its files.
//
//   for (const VariableGroup& group : VariableGroups(model.impl())) ...
//   // {"layers/conv2d/vars", "conv", {kernel, bias}}, ...
//
// A group is named by the layer's class, "dense", "dense_1", ... in the order of
// the layers, never by its name; in a model of a model one lies in the other.
// Of a layer those that are trained come first.
#ifndef LOCKSTEP_REFERENCE_EXPORT_KERAS_VARIABLE_GROUPS_H_
#define LOCKSTEP_REFERENCE_EXPORT_KERAS_VARIABLE_GROUPS_H_

#include <string>
#include <string_view>
#include <vector>

#include "reference/autodiff/variable.h"
#include "reference/layers/layer_impl.h"
#include "reference/optimizers/optimizer.h"

namespace lockstep::export_internal {

struct VariableGroup {
  std::string path;                    // "layers/dense/vars"
  std::string name;                    // the layer's; "" for an optimizer
  std::vector<VariablePtr> variables;  // "layers/dense/vars/0", ...
};

// In the order in which Keras writes them, those without variables too.
// Errors: Unimplemented for a layer whose class does not say its Config.
std::vector<VariableGroup> VariableGroups(const LayerImpl& model);

// "optimizer/vars": iterations, learning rate, the state of variable after
// variable. One that scales losses has a second group, its inner optimizer's.
std::vector<VariableGroup> VariableGroups(const Optimizer& optimizer);

// "MaxPooling2D" -> "max_pooling2d", "ReLU" -> "re_lu".
std::string SnakeCase(std::string_view class_name);

}  // namespace lockstep::export_internal

#endif  // LOCKSTEP_REFERENCE_EXPORT_KERAS_VARIABLE_GROUPS_H_
