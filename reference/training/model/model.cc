#include "reference/training/model/model.h"

#include <functional>

#include "reference/base/error.h"
#include "reference/export/saved_model/export_saved_model.h"
#include "reference/kernels/movement/movement.h"
#include "reference/training/model/compiled_model.h"
#include "reference/training/model/fit_loop.h"
#include "reference/training/model/model_file.h"
#include "reference/training/model/model_summary.h"
#include "reference/training/model/model_weights.h"
#include "reference/training/model/worker_file.h"
#include "reference/training/model/worker_fit.h"

namespace lockstep {

Model::Model(std::shared_ptr<LayerImpl> impl)
    : Layer(std::move(impl)), state_(std::make_shared<State>()) {}

Layer Model::GetLayer(std::string_view name) const {
  std::string names;
  for (const Layer& layer : layers()) {
    if (layer.name() == name) return layer;
    names += (names.empty() ? "" : ", ") + layer.name();
  }
  throw NotFound("[GetLayer] there is no '{}', only: {}", name, names);
}

std::string Model::Summary() const { return Summarize(*this); }

std::map<std::string, Tensor> Model::Weights() const {
  std::map<std::string, Tensor> weights;
  for (const VariablePtr& v : variables()) {
    weights.emplace(v->name(), v->Read().Clone());
  }
  return weights;
}

void Model::SetWeights(const std::map<std::string, Tensor>& weights) const {
  std::map<std::string, VariablePtr> by_name;
  for (const VariablePtr& v : variables()) by_name.emplace(v->name(), v);
  for (const auto& [name, value] : weights) {
    const auto found = by_name.find(name);
    if (found == by_name.end()) {
      throw NotFound("[SetWeights] '{}' has no weight '{}'", this->name(),
                     name);
    }
    const Variable& v = *found->second;
    if (v.shape() == value.shape() && v.dtype() == value.dtype()) continue;
    throw InvalidArgument("[SetWeights] '{}' must be {}, got {}", name,
                          ToString(TensorSpec{v.shape(), v.dtype()}),
                          Describe(value));
  }
  for (const auto& [name, value] : weights) by_name.at(name)->Assign(value);
}

void Model::Compile(const CompileOptions& options) const {
  state_->compiled = std::make_shared<CompiledModel>(*this, options);
}

CompiledModel& Model::Compiled(const char* operation) const {
  if (state_->compiled) return *state_->compiled;
  throw FailedPrecondition("[{}] '{}' is not compiled", operation, name());
}

Optimizer& Model::optimizer() const {
  return *Compiled("optimizer").optimizer();
}

Gradients Model::gradients() const {
  return Compiled("gradients").LastGradients();
}

int64_t Model::skipped_steps() const {
  return Compiled("skipped_steps").skipped_steps();
}

Strategy& Model::strategy() const { return Compiled("strategy").strategy(); }

Trackable& Model::metrics() const { return Compiled("metrics").metrics(); }

const Topology& Model::SavedBy() const {
  return (state_->compiled ? state_->compiled->strategy() : GetStrategy())
      .topology();
}

void Model::SaveWeights(const std::string& path) const {
  SaveModelWeights(*this, path, SavedBy());
}

void Model::Save(const std::string& path) const {
  SaveModelFile(*this, state_->compiled.get(), path, SavedBy());
}

void Model::Export(const std::string& folder) const {
  ExportSavedModel(*this, WorkerFile(SavedBy(), folder).path());
}

void Model::LoadWeights(const std::string& path) const {
  LoadModelWeights(*this, path);
}

History Model::Fit(const TrainingData& data, const FitOptions& options) const {
  CompiledModel& compiled = Compiled("Fit");
  if (WorkersOf(compiled)) return FitOnWorkers(*this, compiled, data, options);
  return FitLoop(*this, compiled, data, options).Run();
}

namespace {

std::shared_ptr<InputPlace> PlaceFor(std::string_view operation,
                                     const CompiledModel& compiled,
                                     const TrainingData& data,
                                     const EvaluateOptions& options,
                                     bool in_order = false) {
  return data.PlaceIn(
      compiled.strategy(),
      {.batch_size = BatchSize(operation, data, options.batch_size),
       .in_order = in_order});
}

// Calls `body` between the callbacks' calls for its begin and end.
void WithCallbacks(const Model& model, const CompiledModel& compiled,
                   const CallbackList& callbacks,
                   const std::function<void()>& body) {
  callbacks.Attach(model,
                   {.steps = std::nullopt,
                    .is_chief = compiled.strategy().topology().is_chief()},
                   nullptr);
  try {
    body();
  } catch (...) {
    callbacks.Close(/*quietly=*/true);
    throw;
  }
  callbacks.Close(/*quietly=*/false);
}

// Concatenates each leaf of the parts along axis 0.
Structure Join(const std::vector<Structure>& parts) {
  std::vector<std::vector<Tensor>> leaves;
  for (const Structure& part : parts) leaves.push_back(part.Flatten());
  std::vector<Tensor> joined;
  for (size_t i = 0; i < leaves.front().size(); ++i) {
    std::vector<Tensor> of_leaf;
    for (const auto& part : leaves) of_leaf.push_back(part[i]);
    joined.push_back(kernels::Concat(of_leaf, 0));
  }
  return parts.front().PackLike(joined);
}

}  // namespace

Logs Model::Evaluate(const TrainingData& data,
                     const EvaluateOptions& options) const {
  CompiledModel& compiled = Compiled("Evaluate");
  const CallbackList callbacks(options.callbacks);
  Logs logs;
  WithCallbacks(*this, compiled, callbacks, [&] {
    if (WorkersOf(compiled) && data.creator() != nullptr) {
      logs = EvaluateOnWorkers(*this, compiled, data, options, callbacks);
      return;
    }
    logs = Measure(compiled, *PlaceFor("Evaluate", compiled, data, options),
                   {.steps = options.steps, .penalties = options.penalties},
                   callbacks);
  });
  return logs;
}

Structure Model::Predict(const TrainingData& data,
                         const PredictOptions& options) const {
  // It takes no more than a strategy.
  const std::shared_ptr<CompiledModel> kept =
      state_->compiled
          ? state_->compiled
          : std::make_shared<CompiledModel>(*this, CompileOptions());
  CompiledModel& compiled = *kept;
  const CallbackList callbacks(options.callbacks);
  std::vector<Structure> parts;
  WithCallbacks(*this, compiled, callbacks, [&] {
    compiled.SyncMovingAverages();
    callbacks.Tell(&Callback::OnPredictBegin);
    const std::shared_ptr<InputPlace> place =
        PlaceFor("Predict", compiled, data, options, /*in_order=*/true);
    CheckHasEnd("Predict", place->data(), options.steps, "steps");
    PerReplica<Batch> batch;
    for (int64_t done = 0; !options.steps || done < *options.steps; ++done) {
      if (!place->NextBatch(&batch)) {
        place->EndPass();
        break;
      }
      callbacks.Tell(&Callback::OnPredictBatchBegin, done);
      parts.push_back(compiled.PredictStep(batch));
      callbacks.Tell(&Callback::OnPredictBatchEnd, done);
    }
    if (parts.empty()) throw InvalidArgument("[Predict] there are no inputs");
    callbacks.Tell(&Callback::OnPredictEnd);
  });
  return Join(parts);
}

namespace {

// The only batch of it.
PerReplica<Batch> OneBatch(const CompiledModel& compiled,
                           const TrainingData& data) {
  const int64_t rows = data.is_arrays() ? data.rows() : 1;
  DistributedIterator batches =
      data.Distribute(compiled.strategy(), {.batch_size = rows}).MakeIterator();
  PerReplica<Structure> batch;
  if (!batches.Next(&batch)) {
    throw InvalidArgument("[TrainOnBatch] there are no examples");
  }
  return TakeApart(batch);
}

}  // namespace

Logs Model::TrainOnBatch(const TrainingData& batch) const {
  return TrainOn(OneBatch(Compiled("TrainOnBatch"), batch));
}

Logs Model::TrainOnParts(const PerReplica<Structure>& parts) const {
  return TrainOn(TakeApart(parts));
}

Logs Model::TrainOn(const PerReplica<Batch>& parts) const {
  CompiledModel& compiled = Compiled("TrainOnBatch");
  compiled.ResetMetrics();
  compiled.TrainStep(parts);
  return compiled.Results();
}

Logs Model::TestOnBatch(const TrainingData& batch) const {
  CompiledModel& compiled = Compiled("TestOnBatch");
  compiled.SyncMovingAverages();
  compiled.ResetMetrics();
  compiled.TestStep(OneBatch(compiled, batch));
  return compiled.Results();
}

}  // namespace lockstep
