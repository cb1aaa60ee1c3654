#include "reference/export/keras/keras2_weights.h"

#include <algorithm>
#include <deque>
#include <map>

#include "reference/autodiff/trackable.h"
#include "reference/base/error.h"
#include "reference/checkpoint/checkpoint.h"
#include "reference/layers/model_impl.h"
#include "reference/preprocessing/words/stored_vocabulary.h"

namespace lockstep {
namespace {

bool IsModel(const LayerImpl& layer) {
  return dynamic_cast<const ModelImpl*>(&layer) != nullptr ||
         dynamic_cast<const SequentialImpl*>(&layer) != nullptr;
}

// A model's object graph as in Keras 2: names of variables have no leading
// underscore, layers without weights (such as a Dropout, which here tracks its
// seed generator) are left out, and the others are numbered.
class Keras2Graph {
 public:
  explicit Keras2Graph(const Layer& model) {
    if (!IsModel(model.impl())) {
      throw InvalidArgument(
          "[Keras2Weights] the model must be Sequential or functional, got "
          "'{}'",
          model.name());
    }
    root_ = NodeOf(model.impl());
    if (root_->children().empty()) {
      throw FailedPrecondition(
          "[Keras2Weights] '{}' has no weights; build it first", model.name());
    }
  }

  Checkpoint ToCheckpoint() const {
    std::map<std::string, Trackable*> parts;
    for (const auto& child : root_->children()) {
      parts[child.name] = child.object;
    }
    return Checkpoint(parts);
  }

 private:
  Trackable* NodeOf(const LayerImpl& layer) {
    const auto [found, is_new] = node_of_.try_emplace(&layer, nullptr);
    if (!is_new) return found->second;
    Trackable* node = found->second = &nodes_.emplace_back();
    if (IsModel(layer)) {
      AddLayers(layer, *node);
    } else {
      AddParts(layer, *node);
    }
    return node;
  }

  void AddLayers(const LayerImpl& model, Trackable& node) {
    int with_weights = 0;
    for (const Layer& layer : model.layers()) {
      Trackable* part = NodeOf(layer.impl());
      if (part->children().empty()) continue;
      node.TrackChild("layer_with_weights-" + std::to_string(with_weights++),
                      *part);
    }
  }

  void AddParts(const LayerImpl& layer, Trackable& node) {
    // In tf_keras its words are in no such file, and with weights of words it is
    // counted as a layer with weights.
    if (dynamic_cast<const StoredVocabulary*>(&layer) != nullptr) {
      throw Unimplemented(
          "[Keras2Weights] '{}' has a vocabulary, which weights of Keras 2 do "
          "not have; use SaveKerasModel or ExportSavedModel",
          layer.name());
    }
    for (const Trackable::Child& child : layer.children()) {
      if (dynamic_cast<Variable*>(child.object) != nullptr) {
        node.TrackChild(child.name.substr(child.name.starts_with('_') ? 1 : 0),
                        *child.object);
      } else if (const auto* part =
                     dynamic_cast<const LayerImpl*>(child.object)) {
        Trackable* of_part = NodeOf(*part);
        if (!of_part->children().empty()) node.TrackChild(child.name, *of_part);
      }
    }
  }

  std::deque<Trackable> nodes_;
  std::map<const LayerImpl*, Trackable*> node_of_;
  Trackable* root_;
};

}  // namespace

void SaveKeras2Weights(const std::string& prefix, const Layer& model) {
  const Keras2Graph graph(model);
  graph.ToCheckpoint().Write(prefix);
}

void LoadKeras2Weights(const std::string& prefix, const Layer& model) {
  const Keras2Graph graph(model);
  graph.ToCheckpoint().Read(prefix, /*every_value=*/true).ExpectPartial();
}

}  // namespace lockstep
