// How a model learns: what Model::Compile takes.
//
//   model.Compile({.optimizer = "adam",
//                  .loss = losses::MeanSquaredError(),
//                  .metrics = {"accuracy"}});
//
// Optimizers and metrics that are objects are made in the scope of the strategy
// that the model is made in.
#ifndef LOCKSTEP_REFERENCE_TRAINING_MODEL_COMPILE_OPTIONS_H_
#define LOCKSTEP_REFERENCE_TRAINING_MODEL_COMPILE_OPTIONS_H_

#include <concepts>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "reference/losses/loss.h"
#include "reference/metrics/metric.h"
#include "reference/optimizers/optimizer.h"

namespace lockstep {

// An object of a program's own, or the name of one that is made for the model.
template <typename Object>
class ByNameOr {
 public:
  ByNameOr(const char* name) : name_(name) {}             // NOLINT
  ByNameOr(std::string name) : name_(std::move(name)) {}  // NOLINT
  // A copy: losses::MeanSquaredError().
  template <typename Kind>
  requires std::derived_from<Kind, Object> && std::copy_constructible<Kind>
  ByNameOr(const Kind& object)  // NOLINT
      : object_(std::make_shared<Kind>(object)) {}
  // An object that the caller goes on using: std::make_shared<Adam>().
  template <typename Kind>
  requires std::derived_from<Kind, Object> ByNameOr(
      std::shared_ptr<Kind> object)  // NOLINT
      : object_(std::move(object)) {}

  // "" for an object.
  const std::string& name() const { return name_; }
  // nullptr for a name.
  const std::shared_ptr<Object>& object() const { return object_; }

 private:
  std::string name_;
  std::shared_ptr<Object> object_;
};

using OptimizerChoice = ByNameOr<Optimizer>;
using LossChoice = ByNameOr<const losses::Loss>;
using MetricChoice = ByNameOr<Metric>;

struct CompileOptions {
  OptimizerChoice optimizer = "rmsprop";
  // Of every output that `output_losses` does not name; an empty one: these
  // learn nothing. Its reduction is over the examples of the global batch,
  // however many replicas there are; kNone learns as kSum does, and tells the
  // mean.
  LossChoice loss = "";
  // By the names of outputs: those of the layers that give them, or "output_1"
  // and so on of a class of one's own.
  std::map<std::string, LossChoice> output_losses = {};
  // 1 where an output is not named.
  std::map<std::string, double> loss_weights = {};
  // Of every output, without sample weights, and with them.
  std::vector<MetricChoice> metrics = {};
  std::vector<MetricChoice> weighted_metrics = {};
  std::map<std::string, std::vector<MetricChoice>> output_metrics = {};
  // The optimizer steps once for so many batches, with the gradient of the mean
  // over all their examples; a window goes on from epoch to epoch.
  int gradient_accumulation_steps = 1;
  // The last gradients stay, to be asked for (Model::gradients).
  bool keep_gradients = false;
  // Callbacks hear of that many batches at once.
  int steps_per_execution = 1;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_TRAINING_MODEL_COMPILE_OPTIONS_H_
