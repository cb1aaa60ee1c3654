// train.*: training of a model.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "conformance/testees/reference/intents/training.h"
#include "conformance/testees/reference/step_call.h"
#include "conformance/testees/reference/step_table.h"
#include "reference/optimizers/learning_rate_schedule.h"
#include "reference/optimizers/loss_scale_optimizer.h"
#include "reference/optimizers/update_rules.h"

namespace lockstep::conformance {
namespace {

// One number, or rates[0] for the first step, rates[1] for the second, ...
LearningRate RateOf(const StepCall& call) {
  if (!call.Has("rates")) return call.Number("learning_rate", 0.01);
  const auto rates = call.Argument("rates").get<std::vector<double>>();
  std::vector<int64_t> boundaries;
  for (size_t step = 0; step + 1 < rates.size(); ++step) {
    boundaries.push_back(static_cast<int64_t>(step));
  }
  return std::make_shared<const PiecewiseConstantDecay>(boundaries, rates);
}

std::shared_ptr<Optimizer> MakeOptimizer(const StepCall& call) {
  const std::string kind = call.Text("optimizer");
  OptimizerOptions options{.name = kind};
  if (call.Has("clip_norm")) {
    options.global_clipnorm = call.Number("clip_norm", 0);
  }
  if (kind == "sgd") {
    return std::make_shared<Sgd>(
        SgdOptions{.learning_rate = RateOf(call),
                   .momentum = call.Number("momentum", 0),
                   .options = options});
  }
  if (kind == "adam") {
    return std::make_shared<Adam>(
        AdamOptions{.learning_rate = RateOf(call), .options = options});
  }
  if (kind != "adamw") throw ProgramError("unknown optimizer: " + kind);
  options.weight_decay = call.Number("weight_decay", 0);
  return std::make_shared<AdamW>(
      AdamWOptions{.learning_rate = RateOf(call), .options = options});
}

Value CreateTraining(const StepCall& call) {
  const auto learned = call.Get<std::shared_ptr<LearnedModel>>("of");
  const std::string precision =
      call.Has("precision") ? call.Text("precision") : "float32";
  learned->Use({.policy = precision,
                .synchronized = call.Boolean("sync_batch_norm"),
                .calls = static_cast<int>(call.Integer("calls", 1))});
  std::shared_ptr<Optimizer> optimizer = MakeOptimizer(call);
  if (precision == "mixed_float16") {
    optimizer = std::make_shared<LossScaleOptimizer>(
        optimizer,
        LossScaleOptions{
            .initial_scale = call.Number("initial_scale", 32768),
            .dynamic_growth_steps = call.Integer("growth_steps", 2000)});
  }
  return std::make_shared<Training>(
      learned, std::move(optimizer),
      static_cast<int>(call.Integer("accumulate", 1)));
}

Training& TrainingOf(const StepCall& call) {
  return *call.Get<std::shared_ptr<Training>>("of");
}

const Loader& LoaderOf(const StepCall& call) {
  return *call.Get<std::shared_ptr<Loader>>("loader");
}

// Also train.no_sync: replicas do not exchange gradients until a window is full
// anyway.
Value TrainBatches(const StepCall& call) {
  TrainingOf(call).TrainBatches(LoaderOf(call), call.Integer("batches", 1));
  return Nothing();
}

Value Epoch(const StepCall& call) {
  std::optional<int64_t> stop_after;
  if (call.Has("stop_after")) stop_after = call.Integer("stop_after");
  TrainingOf(call).TrainPasses(LoaderOf(call), call.Integer("epochs", 1),
                               stop_after);
  return Nothing();
}

// A replica without a batch takes part with an empty one.
Value Join(const StepCall& call) {
  Training& training = TrainingOf(call);
  training.TrainPasses(LoaderOf(call), training.epochs() + 1, std::nullopt);
  return Nothing();
}

Value Progress(const StepCall& call) {
  const Optimizer& optimizer = TrainingOf(call).optimizer();
  const std::string what = call.Text("what");
  if (what == "optimizer_steps") return optimizer.iterations();
  if (what == "learning_rate") return Json(optimizer.learning_rate());
  if (what == "skipped_steps") return TrainingOf(call).skipped_steps();
  if (what == "loss_scale") return Json(optimizer.loss_scale());
  throw ProgramError("unknown progress: " + what);
}

Value Gradients(const StepCall& call) { return TrainingOf(call).Gradients(); }

// nullptr if there is none.
const Loader* FindLoader(const StepCall& call) {
  return call.Has("loader") ? &LoaderOf(call) : nullptr;
}

Value Save(const StepCall& call) {
  TrainingOf(call).Save(call.Path("folder"), FindLoader(call));
  return Nothing();
}

Value Resume(const StepCall& call) {
  TrainingOf(call).Resume(call.Path("folder"), FindLoader(call));
  return Nothing();
}

Value Losses(const StepCall& call) {
  return Structure(Tensor::FromVector(TrainingOf(call).losses()));
}

Value Evaluate(const StepCall& call) {
  std::vector<std::string> metrics;
  if (call.Has("metrics")) {
    metrics = call.Argument("metrics").get<std::vector<std::string>>();
  }
  const Logs logs = TrainingOf(call).Evaluate(LoaderOf(call), metrics);
  Json results = Json::object();
  for (const auto& [name, number] : logs.items()) {
    results[name] = ToObservation(Tensor::Scalar(number));
  }
  return results;
}

Value Predict(const StepCall& call) {
  return TrainingOf(call).Predict(LoaderOf(call));
}

}  // namespace

void AddTrainSteps(StepTable& table) {
  table.Add("train.create", CreateTraining);
  table.Add("train.batches", TrainBatches);
  table.Add("train.no_sync", TrainBatches);
  table.Add("train.epoch", Epoch);
  table.Add("train.join", Join);
  table.Add("train.gradients", Gradients);
  table.Add("train.progress", Progress);
  table.Add("train.losses", Losses);
  table.Add("train.evaluate", Evaluate);
  table.Add("train.predict", Predict);
  table.Add("train.save", Save);
  table.Add("train.resume", Resume);
}

}  // namespace lockstep::conformance
