// What model.create makes: the reference's model of layers that a program gives
// with their weights, and its loss.
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

// What layers are made with beside their weights: train.create says it, and the
// reference has to know it when it makes them.
struct LayerSettings {
  std::string policy = "float32";
  bool synchronized = false;  // batch normalization
  int calls = 1;              // of the model, for each batch it is trained on

  bool operator==(const LayerSettings&) const = default;
};

// What a model learns by.
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
  // Accuracy as its labels count in the loss.
  MetricChoice accuracy() const;

  // The same weights in layers that are made so.
  void Use(const LayerSettings& settings);

  // What a value each variable has looks as, an object a layer, with the names
  // of model.create.
  using Values = std::map<const Variable*, Json>;
  Json Parameters(const Values& values) const;
  // The parameters of each replica, a list a replica.
  Json Copies() const;
  // Moments, which are one value for all replicas: the mean of their copies.
  Json Buffers() const;

 private:
  void Make(const LayerSettings& settings);
  // An object a layer, to which the variables of its own are added.
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
