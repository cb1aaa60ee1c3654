#include "conformance/testees/reference/intents/training.h"

#include <map>
#include <utility>

#include "reference/metrics/metric.h"
#include "reference/training/events/callback.h"
#include "reference/training/model/fit_options.h"

namespace lockstep::conformance {
namespace {

// Ends a fit, as the end of the process would.
struct Interruption {};

// A custom metric: the number of examples.
class ExampleCount : public Metric {
 public:
  ExampleCount() : Metric("count"), count_(AddState("count")) {}

  void UpdateState(const Tensor& labels, const Tensor& /*predictions*/,
                   const std::optional<Tensor>& /*weight*/) override {
    count_->AssignAdd(Tensor::Scalar(static_cast<float>(labels.dim(0))));
  }
  double Result() const override { return Read(count_); }

 private:
  VariablePtr count_;
};

std::vector<MetricChoice> MetricsOf(const LearnedModel& learned,
                                    const std::vector<std::string>& names) {
  std::vector<MetricChoice> metrics;
  for (const std::string& name : names) {
    if (name == "count") {
      metrics.emplace_back(std::make_shared<ExampleCount>());
    } else if (name == "accuracy") {
      metrics.push_back(learned.accuracy());
    } else {
      throw ProgramError("unknown metric: " + name);
    }
  }
  return metrics;
}

}  // namespace

Training::Training(std::shared_ptr<LearnedModel> learned,
                   std::shared_ptr<Optimizer> optimizer, int accumulate)
    : learned_(std::move(learned)) {
  learned_->model().Compile({.optimizer = std::move(optimizer),
                             .loss = learned_->loss(),
                             .gradient_accumulation_steps = accumulate,
                             .keep_gradients = true});
}

void Training::TrainBatches(const Loader& loader, int64_t batches) {
  ResumeWith(loader);
  InputPlace& place = *loader.place();
  for (int64_t i = 0; i < batches; ++i) {
    PerReplica<Structure> batch;
    if (!place.NextBatch(&batch)) {
      place.EndPass();
      if (!place.NextBatch(&batch)) {
        throw OutOfRange("[Train] the loader has no batches");
      }
    }
    learned_->model().TrainOnParts(batch);
    place.BatchDone();
    ++progress_.batches;
    // So that the next step, also of another kind, begins a new pass.
    if (place.is_at_end()) place.EndPass();
  }
}

void Training::TrainPasses(const Loader& loader, int64_t epochs,
                           std::optional<int64_t> stop_after) {
  if (stop_after && progress_.batches >= *stop_after) return;
  ResumeWith(loader);
  const LambdaCallback::Functions functions{
      .on_epoch_end =
          [&](int /*epoch*/, Logs& logs) {
            ++progress_.epochs;
            losses_.push_back(logs.at("loss"));
          },
      .on_train_batch_end =
          [&](int64_t /*batch*/, const LazyLogs& /*logs*/) {
            if (++progress_.batches == stop_after) throw Interruption();
          }};
  try {
    learned_->model().Fit(
        loader.place(), {.epochs = static_cast<int>(epochs),
                         .initial_epoch = static_cast<int>(progress_.epochs),
                         .callbacks = {MakeCallback<LambdaCallback>(functions)},
                         .verbose = Verbose::kSilent});
  } catch (const Interruption&) {
    // The loader keeps its position.
  }
}

Logs Training::Evaluate(const Loader& loader,
                        const std::vector<std::string>& metrics) const {
  // The same weights with separate metrics, so that the state of training does
  // not change.
  const Model measured(learned_->model().shared_impl());
  measured.Compile(
      {.loss = learned_->loss(), .metrics = MetricsOf(*learned_, metrics)});
  return measured.Evaluate(loader.PassOfExamples(), {.penalties = false});
}

Structure Training::Predict(const Loader& loader) const {
  return learned_->model().Predict(loader.PassOfExamples());
}

Json Training::Gradients() const {
  const Model& model = learned_->model();
  LearnedModel::Values values;
  for (const VariablePtr& variable : model.variables()) {
    values[variable.get()] = nullptr;
  }
  const std::vector<VariablePtr> trained = model.trainable_variables();
  const lockstep::Gradients gradients = model.gradients();
  for (size_t i = 0; i < trained.size(); ++i) {
    if (gradients[i]) values[trained[i].get()] = ToObservation(*gradients[i]);
  }
  return learned_->Parameters(values);
}

std::vector<Trackable::Value> Training::Progress::values() {
  const auto number = [](const char* name, int64_t& value) {
    return Trackable::Value{
        .attribute = name,
        .full_name = name,
        .spec = {.shape = Shape{}, .dtype = DType::kInt64},
        .save = [&value] { return Tensor::Scalar(value); },
        .restore =
            [&value](const Tensor& saved) { value = saved.item<int64_t>(); }};
  };
  return {number("EPOCHS", epochs), number("BATCHES", batches)};
}

TrainingState Training::State(const Loader* loader) {
  std::map<std::string, Trackable*> others = {{"progress", &progress_}};
  if (loader) others["loader"] = loader->place().get();
  return TrainingState(learned_->model(), others);
}

void Training::Save(const std::string& folder, const Loader* loader) {
  State(loader).Save(folder + "/state");
}

void Training::Resume(const std::string& folder, const Loader* loader) {
  State(loader).Restore(folder + "/state");
  resumed_without_loader_ = loader == nullptr;
}

void Training::ResumeWith(const Loader& loader) {
  if (resumed_without_loader_ && loader.is_new()) {
    loader.SetEpoch(progress_.epochs);
  }
  resumed_without_loader_ = false;
}

}  // namespace lockstep::conformance
