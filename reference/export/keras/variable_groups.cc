#include "reference/export/keras/variable_groups.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "reference/layers/layer_config.h"
#include "reference/layers/model_impl.h"
#include "reference/optimizers/optimizer.h"
#include "reference/preprocessing/words/text_vectorization.h"

namespace lockstep::export_internal {

std::string VocabularyMember(const VariableGroup& group) {
  const std::string layer = group.path.substr(0, group.path.rfind('/'));
  return "assets/" + layer + "/vocabulary.txt";
}

std::string SnakeCase(std::string_view class_name) {
  const auto is_lower = [&](size_t i) {
    return i < class_name.size() && std::islower(class_name[i]) != 0;
  };
  std::string snake;
  for (size_t i = 0; i < class_name.size(); ++i) {
    const bool is_upper = std::isupper(class_name[i]) != 0;
    if (is_upper && i > 0 && (is_lower(i - 1) || is_lower(i + 1))) snake += '_';
    snake += static_cast<char>(std::tolower(class_name[i]));
  }
  return snake;
}

namespace {

// Does not call a model's Config for its name, because it has all layers'.
std::string ClassName(const LayerImpl& layer) {
  if (layer.IsExactly<ModelImpl>()) return "Functional";
  if (layer.IsExactly<SequentialImpl>()) return "Sequential";
  return layer.Config().class_name;
}

class GroupWalk {
 public:
  explicit GroupWalk(std::vector<VariableGroup>& groups) : groups_(groups) {}

  // `path` ends in a slash unless it is empty.
  void Visit(const LayerImpl& layer, const std::string& path) {
    if (!visited_.insert(&layer).second) return;
    const auto* vocabulary = dynamic_cast<const StoredVocabulary*>(&layer);
    groups_.push_back(
        {path + "vars", layer.name(), OwnVariables(layer), vocabulary});
    if (layer.IsExactly<TextVectorizationImpl>()) {
      groups_.push_back(
          {path + "_lookup_layer/vars", "string_lookup", {}, vocabulary});
    }
    const bool is_model =
        dynamic_cast<const ModelImpl*>(&layer) != nullptr ||
        dynamic_cast<const SequentialImpl*>(&layer) != nullptr;
    if (is_model) {
      VisitLayers(layer, path + "layers/");
    } else {
      VisitParts(layer, path);
    }
  }

 private:
  void VisitLayers(const LayerImpl& model, const std::string& path) {
    const bool has_inputs = dynamic_cast<const ModelImpl*>(&model) != nullptr;
    std::map<std::string, int> used;
    for (const Layer& layer : model.layers()) {
      const bool is_input =
          dynamic_cast<const InputLayerImpl*>(&layer.impl()) != nullptr;
      if (is_input && !has_inputs) continue;  // as Keras' Sequential.layers
      std::string name = SnakeCase(ClassName(layer.impl()));
      const int before = used[name]++;
      if (before > 0) name += "_" + std::to_string(before);
      Visit(layer.impl(), path + name + "/");
    }
  }

  // Visits the layers inside a layer, by the names of its attributes.
  void VisitParts(const LayerImpl& layer, const std::string& path) {
    for (const Trackable::Child& child : layer.children()) {
      const auto* part = dynamic_cast<const LayerImpl*>(child.object);
      if (part == nullptr) continue;
      const size_t begin = child.name.find_first_not_of('_');
      if (begin != std::string::npos) {
        Visit(*part, path + child.name.substr(begin) + "/");
      }
    }
  }

  static std::vector<VariablePtr> OwnVariables(const LayerImpl& layer) {
    std::set<const Variable*> of_parts;
    for (const Layer& part : layer.layers()) {
      for (const VariablePtr& variable : part.variables()) {
        of_parts.insert(variable.get());
      }
    }
    std::vector<VariablePtr> own = layer.variables();
    std::erase_if(own, [&](const VariablePtr& variable) {
      return of_parts.contains(variable.get());
    });
    // Not std::ranges::stable_partition, which clang 14 cannot compile.
    std::stable_partition(own.begin(), own.end(),
                          [](const VariablePtr& v) { return v->trainable(); });
    return own;
  }

  std::vector<VariableGroup>& groups_;
  std::set<const LayerImpl*> visited_;
};

}  // namespace

std::vector<VariableGroup> VariableGroups(const LayerImpl& model) {
  std::vector<VariableGroup> groups;
  GroupWalk(groups).Visit(model, "");
  return groups;
}

std::vector<VariableGroup> VariableGroups(const Optimizer& optimizer) {
  std::vector<VariableGroup> groups = {
      {"optimizer/vars", "", optimizer.variables(), nullptr}};
  if (const Optimizer* inner = optimizer.inner_optimizer()) {
    groups.push_back(
        {"optimizer/inner_optimizer/vars", "", inner->variables(), nullptr});
  }
  return groups;
}

}  // namespace lockstep::export_internal
