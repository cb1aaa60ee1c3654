// The options of Model::Compile: how a model is trained.
//
//   model.Compile({.optimizer = "adam",
//                  .loss = losses::MeanSquaredError(),
//                  .metrics = {"accuracy"}});
//
// Create optimizer and metric objects in the scope of the same strategy as the
// model.
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

// An object, or the name of one that Compile creates.
template <typename Object>
class ByNameOr {
 public:
  ByNameOr(const char* name) : name_(name) {}             // NOLINT
  ByNameOr(std::string name) : name_(std::move(name)) {}  // NOLINT
  // Copies the object: losses::MeanSquaredError().
  template <typename Kind>
  requires std::derived_from<Kind, Object> && std::copy_constructible<Kind>
  ByNameOr(const Kind& object)  // NOLINT
      : object_(std::make_shared<Kind>(object)) {}
  // Shares the object with the caller: std::make_shared<Adam>().
  template <typename Kind>
  requires std::derived_from<Kind, Object> ByNameOr(
      std::shared_ptr<Kind> object)  // NOLINT
      : object_(std::move(object)) {}

  // "" if it is an object.
  const std::string& name() const { return name_; }
  // nullptr if it is a name.
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
  // The loss of each output that `output_losses` does not name; if it is empty,
  // these have no loss. Its reduction is over the examples of the global batch,
  // for any number of replicas. kNone trains like kSum, and reports the mean.
  LossChoice loss = "";
  // By the names of outputs: the names of the layers that return them, or
  // "output_1", "output_2", ... for a custom class.
  std::map<std::string, LossChoice> output_losses = {};
  // 1 for outputs that are not named.
  std::map<std::string, double> loss_weights = {};
  // Metrics of each output, without sample weights, and with them.
  std::vector<MetricChoice> metrics = {};
  std::vector<MetricChoice> weighted_metrics = {};
  std::map<std::string, std::vector<MetricChoice>> output_metrics = {};
  // The number of batches per optimizer step, which uses the gradient of the mean
  // over all their examples. A window of batches continues in the next epoch.
  int gradient_accumulation_steps = 1;
  // Keeps the last gradients for Model::gradients.
  bool keep_gradients = false;
  // The number of batches between calls of callbacks.
  int steps_per_execution = 1;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_TRAINING_MODEL_COMPILE_OPTIONS_H_
