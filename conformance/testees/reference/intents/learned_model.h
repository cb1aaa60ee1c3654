// The result of model.create: a model with the given layers and weights, and
// its loss.
#ifndef LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_INTENTS_LEARNED_MODEL_H_
#define LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_INTENTS_LEARNED_MODEL_H_

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "conformance/testees/reference/value.h"
#include "reference/training/model/compile_options.h"
#include "reference/training/model/model.h"

namespace lockstep::conformance {

// Settings of layers in addition to their weights. train.create sets them, but
// the reference needs them when it creates the layers.
struct LayerSettings {
  std::string policy = "float32";
  bool synchronized = false;  // batch normalization
  int calls = 1;              // of the model, for each training batch

  bool operator==(const LayerSettings&) const = default;
};

// The loss of a model.
struct LearnedLoss {
  std::string kind;
  std::optional<int64_t> ignored = std::nullopt;
  double l2 = 0;
};

class LearnedModel {
 public:
  // Layers as model.create describes them. Errors: ProgramError for others.
  LearnedModel(Json layers, LearnedLoss loss);

  const Model& model() const { return *model_; }
  LossChoice loss() const;
  // Accuracy over the labels that count in the loss.
  MetricChoice accuracy() const;

  // Creates the layers again with these settings and the same weights.
  void Use(const LayerSettings& settings);

  // The observation of one value per variable: one object per layer, with the
  // names of model.create.
  using Values = std::map<const Variable*, Json>;
  Json Parameters(const Values& values) const;
  // The parameters of each replica.
  Json Copies() const;
  // The buffers, which have one value for all replicas.
  Json Buffers() const;

 private:
  void Make(const LayerSettings& settings);
  // One object per layer; calls `add` for each of its variables.
  Json OfEachLayer(
      const std::function<void(Json& object, const Variable& variable)>& add)
      const;

  const Json specs_;
  const LearnedLoss loss_;
  LayerSettings settings_;
  std::vector<Layer> layers_;
  std::optional<Model> model_;
};

}  // namespace lockstep::conformance

#endif  // LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_INTENTS_LEARNED_MODEL_H_
