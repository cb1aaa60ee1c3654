#include "reference/training/model/model_file.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "reference/base/error.h"
#include "reference/export/keras/keras_model.h"
#include "reference/export/keras/training_objects.h"
#include "reference/training/model/compiled_model.h"
#include "reference/training/model/worker_file.h"

namespace lockstep {
namespace {

Json LossOf(const LossChoice& choice) {
  if (choice.object()) return LossObject(*choice.object());
  return choice.name().empty() ? Json() : Json(choice.name());
}

// The loss of all outputs, or an object of losses by the names of outputs.
Json LossesOf(const CompileOptions& options) {
  if (options.output_losses.empty()) return LossOf(options.loss);
  Json losses = Json::object();
  for (const auto& [output, loss] : options.output_losses) {
    losses[output] = LossOf(loss);
  }
  return losses;
}

Json MetricsOf(const CompileOptions& options) {
  if (options.metrics.empty()) return nullptr;
  Json metrics = Json::array();
  for (const MetricChoice& metric : options.metrics) {
    metrics.push_back(metric.object() ? metric.object()->name()
                                      : metric.name());
  }
  return metrics;
}

bool IsLoss(const Json& value) {
  return value.is_string() || value.contains("class_name");
}

CompileOptions OptionsIn(const KerasCompileConfig& config) {
  CompileOptions options{.optimizer = MakeOptimizer(config.optimizer)};
  if (config.loss.is_object() && !IsLoss(config.loss)) {
    for (const auto& [output, loss] : config.loss.items()) {
      options.output_losses.emplace(output, MakeLoss(loss));
    }
  } else {
    options.loss = MakeLoss(config.loss);
  }
  for (const std::string& name : MetricNames(config.metrics)) {
    options.metrics.emplace_back(name);
  }
  return options;
}

}  // namespace

void SaveModelFile(const Layer& model, const CompiledModel* compiled,
                   const std::string& path, const Topology& topology) {
  if (!path.ends_with(".keras")) {
    throw InvalidArgument(
        "[Save] a model's file must be named '....keras', got '{}'", path);
  }
  const WorkerFile file(topology, path);
  if (compiled == nullptr) return SaveKerasModel(file.path(), model);
  const CompileOptions& options = compiled->options();
  const Optimizer& optimizer = *compiled->optimizer();
  SaveKerasModel(file.path(), model,
                 {.optimizer = OptimizerObject(optimizer),
                  .loss = LossesOf(options),
                  .metrics = MetricsOf(options)},
                 &optimizer);
}

Model LoadModel(const std::string& path, const LoadModelOptions& options) {
  if (!std::filesystem::exists(path)) {
    throw NotFound("[LoadModel] there is no file '{}'", path);
  }
  const KerasFile file(path);
  const Model model(file.MakeModel().shared_impl());
  const KerasCompileConfig& config = file.compile_config();
  const bool compiled = options.compile && !config.optimizer.is_null();
  if (compiled) model.Compile(OptionsIn(config));
  file.LoadWeights(model, compiled ? &model.optimizer() : nullptr);
  return model;
}

}  // namespace lockstep
