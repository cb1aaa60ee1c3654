// model.*: models that are trained by fit. history.*: the result of fit.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "conformance/testees/reference/parameter_server/server_object.h"
#include "conformance/testees/reference/step_call.h"
#include "conformance/testees/reference/step_table.h"
#include "reference/losses/cross_entropy.h"
#include "reference/losses/regression_losses.h"
#include "reference/training/model/model.h"

namespace lockstep::conformance {
namespace {

Shape InputShape(const StepCall& call) {
  std::vector<int64_t> dims = {kUnknownDim};
  if (call.Has("shape")) {
    for (const Json& dim : call.Argument("shape")) {
      dims.push_back(dim.get<int64_t>());
    }
  } else {
    dims.push_back(call.Integer("inputs"));
  }
  return Shape(dims);
}

Value MakeSequential(const StepCall& call) {
  std::vector<Layer> layers;
  for (const Json& name : call.Argument("layers")) {
    layers.push_back(StepCall::Held<Layer>(
        call.environment().Find(name.get<std::string>()), "layers"));
  }
  const Sequential model(layers);
  model.Build(InputShape(call));
  return Model(model);
}

const std::map<std::string, losses::Reduction> kReductions = {
    {"none", losses::Reduction::kNone},
    {"sum", losses::Reduction::kSum},
    {"sum_over_batch_size", losses::Reduction::kSumOverBatchSize}};

LossChoice GetLoss(const StepCall& call) {
  const losses::Reduction reduction = call.Choose(
      kReductions, "reduction", losses::Reduction::kSumOverBatchSize);
  const std::string kind = call.Text("loss");
  if (kind == "mean_squared_error") {
    return losses::MeanSquaredError({.reduction = reduction});
  }
  if (kind == "mean_absolute_error") {
    return losses::MeanAbsoluteError({.reduction = reduction});
  }
  if (kind == "sparse_categorical_crossentropy") {
    return losses::SparseCategoricalCrossentropy(
        {.from_logits = true, .reduction = reduction});
  }
  throw ProgramError("unknown kind of loss: " + kind);
}

std::vector<MetricChoice> GetMetrics(const StepCall& call,
                                     const char* argument) {
  std::vector<MetricChoice> metrics;
  if (!call.Has(argument)) return metrics;
  for (const Json& name : call.Argument(argument)) {
    metrics.emplace_back(name.get<std::string>());
  }
  return metrics;
}

Value Compile(const StepCall& call) {
  call.Get<Model>("of").Compile(
      {.optimizer = call.Get<std::shared_ptr<Optimizer>>("optimizer"),
       .loss = GetLoss(call),
       .metrics = GetMetrics(call, "metrics"),
       .weighted_metrics = GetMetrics(call, "weighted_metrics"),
       .steps_per_execution =
           static_cast<int>(call.Integer("steps_per_execution", 1))});
  return Nothing();
}

TrainingData HeldData(const Value& value) {
  if (const auto* dataset = std::get_if<Dataset>(&value)) return *dataset;
  if (const auto* creator = FindObject<DatasetCreator>(value)) return *creator;
  return StepCall::Held<DistributedDataset>(value, "data");
}

// A dataset, an input, a creator or arrays.
TrainingData GetData(const StepCall& call) {
  if (call.Has("data")) return HeldData(call.Find("data"));
  Batch arrays{.x = call.GetTensor("x")};
  if (call.Has("y")) arrays.y = call.GetTensor("y");
  if (call.Has("sample_weight")) {
    arrays.sample_weight = call.GetTensor("sample_weight");
  }
  return TrainingData(arrays);
}

std::optional<int64_t> FindInteger(const StepCall& call, const char* argument) {
  if (!call.Has(argument)) return std::nullopt;
  return call.Integer(argument);
}

std::vector<CallbackPtr> GetCallbacks(const StepCall& call) {
  std::vector<CallbackPtr> callbacks;
  if (!call.Has("callbacks")) return callbacks;
  for (const Json& name : call.Argument("callbacks")) {
    callbacks.push_back(StepCall::Held<CallbackPtr>(
        call.environment().Find(name.get<std::string>()), "callbacks"));
  }
  return callbacks;
}

std::map<int64_t, double> GetClassWeight(const StepCall& call) {
  std::map<int64_t, double> weights;
  if (!call.Has("class_weight")) return weights;
  for (const auto& [number, weight] : call.Object("class_weight").items()) {
    weights[std::stoll(number)] = weight.get<double>();
  }
  return weights;
}

FitOptions GetFitOptions(const StepCall& call) {
  FitOptions options{
      .batch_size = FindInteger(call, "batch_size"),
      .epochs = static_cast<int>(call.Integer("epochs", 1)),
      .initial_epoch = static_cast<int>(call.Integer("initial_epoch", 0)),
      .shuffle = call.Boolean("shuffle"),
      .steps_per_epoch = FindInteger(call, "steps_per_epoch"),
      .validation_split = call.Number("validation_split", 0),
      .validation_steps = FindInteger(call, "validation_steps"),
      .validation_freq = static_cast<int>(call.Integer("validation_freq", 1)),
      .class_weight = GetClassWeight(call),
      .callbacks = GetCallbacks(call),
      .verbose = Verbose::kSilent};
  if (call.Has("validation_data")) {
    options.validation_data = HeldData(call.Find("validation_data"));
  }
  return options;
}

Value Fit(const StepCall& call) {
  return call.Get<Model>("of").Fit(GetData(call), GetFitOptions(call));
}

Value ToValue(const Logs& logs) {
  std::vector<std::pair<std::string, Structure>> numbers;
  for (const auto& [name, number] : logs.items()) {
    numbers.emplace_back(name, Tensor::Scalar(number));
  }
  return Structure::Dict(std::move(numbers));
}

EvaluateOptions GetEvaluateOptions(const StepCall& call) {
  return {.batch_size = FindInteger(call, "batch_size"),
          .steps = FindInteger(call, "steps")};
}

Value Evaluate(const StepCall& call) {
  return ToValue(
      call.Get<Model>("of").Evaluate(GetData(call), GetEvaluateOptions(call)));
}

Value Predict(const StepCall& call) {
  return call.Get<Model>("of").Predict(GetData(call), GetEvaluateOptions(call));
}

Value TrainOnBatch(const StepCall& call) {
  return ToValue(call.Get<Model>("of").TrainOnBatch(GetData(call)));
}

Value SaveWeights(const StepCall& call) {
  call.Get<Model>("of").SaveWeights(call.Path("path"));
  return Nothing();
}

Value LoadWeights(const StepCall& call) {
  call.Get<Model>("of").LoadWeights(call.PathOrFound());
  return Nothing();
}

Value Values(const StepCall& call) {
  const std::string name = call.Text("name");
  return Json(call.Get<History>("of")[name == "learning_rate" ? "lr" : name]);
}

Value Epochs(const StepCall& call) {
  return Json(call.Get<History>("of").epochs());
}

}  // namespace

void AddModelSteps(StepTable& table) {
  table.Add("model.sequential", MakeSequential);
  table.Add("model.compile", Compile);
  table.Add("model.fit", Fit);
  table.Add("model.evaluate", Evaluate);
  table.Add("model.predict", Predict);
  table.Add("model.train_on_batch", TrainOnBatch);
  table.Add("model.save_weights", SaveWeights);
  table.Add("model.load_weights", LoadWeights);
  table.Add("history.values", Values);
  table.Add("history.epochs", Epochs);
}

}  // namespace lockstep::conformance
