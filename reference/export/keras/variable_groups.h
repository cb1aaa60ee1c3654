// The place of each of a model's variables in Keras' files.
//
//   for (const VariableGroup& group : VariableGroups(model.impl())) ...
//   // {"layers/conv2d/vars", "conv", {kernel, bias}}, ...
//
// A group is named after the layer's class, "dense", "dense_1", ... in the order of
// the layers, and never after its name. Groups of nested models are nested. A
// layer's trainable variables come first.
#ifndef LOCKSTEP_REFERENCE_EXPORT_KERAS_VARIABLE_GROUPS_H_
#define LOCKSTEP_REFERENCE_EXPORT_KERAS_VARIABLE_GROUPS_H_

#include <string>
#include <string_view>
#include <vector>

#include "reference/autodiff/variable.h"
#include "reference/layers/layer_impl.h"
#include "reference/optimizers/optimizer.h"
#include "reference/preprocessing/words/stored_vocabulary.h"

namespace lockstep::export_internal {

struct VariableGroup {
  std::string path;                    // "layers/dense/vars"
  std::string name;                    // the layer's; "" for an optimizer
  std::vector<VariablePtr> variables;  // "layers/dense/vars/0", ...
  // nullptr for layers without one. TextVectorization has it twice, under its
  // own path and under that of the lookup in it, as in Keras.
  const StoredVocabulary* vocabulary = nullptr;
};

// "assets/layers/string_lookup/vocabulary.txt" of "layers/string_lookup/vars".
std::string VocabularyMember(const VariableGroup& group);

// In Keras' order, including groups without variables.
// Errors: Unimplemented for a layer whose class has no Config.
std::vector<VariableGroup> VariableGroups(const LayerImpl& model);

// "optimizer/vars": iterations, learning rate, then the state of each variable. An
// optimizer with a loss scale has a second group for its inner optimizer.
std::vector<VariableGroup> VariableGroups(const Optimizer& optimizer);

// "MaxPooling2D" -> "max_pooling2d", "ReLU" -> "re_lu".
std::string SnakeCase(std::string_view class_name);

}  // namespace lockstep::export_internal

#endif  // LOCKSTEP_REFERENCE_EXPORT_KERAS_VARIABLE_GROUPS_H_
