#include "reference/training/callbacks/early_stopping.h"

#include <cmath>

#include "reference/base/log.h"
#include "reference/training/model/fit_progress.h"
#include "reference/training/model/model.h"

namespace lockstep {

EarlyStopping::EarlyStopping(const EarlyStoppingOptions& options)
    : options_(options),
      watch_(options.monitor, options.mode, options.min_delta) {}

void EarlyStopping::OnTrainBegin() {
  watch_.Reset(options_.baseline);
  waited_ = 0;
  stopped_epoch_.reset();
  best_weights_.clear();
}

void EarlyStopping::OnEpochEnd(int epoch, Logs& logs) {
  if (epoch < options_.start_from_epoch) return;
  // If no epoch is better than the baseline, the first one is the best.
  if (options_.restore_best_weights && best_weights_.empty()) KeepWeights();
  const std::optional<bool> improved = watch_.Improves(logs, "EarlyStopping");
  if (!improved) return;
  if (*improved) {
    waited_ = 0;
    if (options_.restore_best_weights) KeepWeights();
    return;
  }
  ++waited_;
  if (waited_ < options_.patience || epoch == 0) return;
  stopped_epoch_ = epoch;
  progress().Stop();
}

void EarlyStopping::KeepWeights() {
  best_weights_.clear();
  for (const VariablePtr& variable : model().variables()) {
    best_weights_.push_back(variable->Read().Clone());
  }
}

void EarlyStopping::OnTrainEnd(const Logs& /*logs*/) {
  if (stopped_epoch_) {
    LogInfo(
        "[EarlyStopping] ended training after epoch {}: {} did not improve on "
        "{} in {} epochs",
        *stopped_epoch_ + 1, watch_.name(), watch_.best().value_or(NAN),
        waited_);
  }
  const std::vector<VariablePtr> variables = model().variables();
  for (size_t i = 0; i < best_weights_.size(); ++i) {
    variables[i]->Assign(best_weights_[i]);
  }
}

void TerminateOnNaN::OnTrainBatchEnd(int64_t batch, const LazyLogs& logs) {
  const double loss = logs.Get().at("loss");
  if (std::isfinite(loss)) return;
  LogWarning("[TerminateOnNaN] the loss is {} at batch {}: training ends", loss,
             batch);
  progress().Stop();
}

}  // namespace lockstep
