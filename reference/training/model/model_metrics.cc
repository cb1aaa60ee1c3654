#include "reference/training/model/model_metrics.h"

#include <optional>
#include <set>
#include <utility>

#include "reference/autodiff/ops/math_ops.h"
#include "reference/base/error.h"

namespace lockstep {

LossTracker::LossTracker(std::string name)
    : Metric(std::move(name)),
      total_(AddState("total")),
      count_(AddState("count")) {}

void LossTracker::Add(const Tensor& part, const Tensor& weight,
                      const Tensor& global_weight) {
  total_->AssignAdd(ops::Multiply(part.Cast(DType::kFloat32), global_weight));
  count_->AssignAdd(weight);
}

double LossTracker::Result() const {
  const double count = Read(count_);
  return count == 0 ? 0.0 : Read(total_) / count;
}

ModelMetrics::ModelMetrics(const std::vector<std::string>& losses,
                           std::vector<OutputMetric> metrics)
    : metrics_(std::move(metrics)) {
  TrackChild("loss", loss_);
  for (const std::string& name : losses) {
    losses_.push_back(std::make_unique<LossTracker>(name));
    TrackChild(name, *losses_.back());
  }
  std::set<std::string> names{"loss"};
  names.insert(losses.begin(), losses.end());
  for (const OutputMetric& metric : metrics_) {
    if (!names.insert(metric.name).second) {
      throw InvalidArgument("[Compile] two metrics are named '{}'",
                            metric.name);
    }
    TrackChild(metric.name, *metric.metric);
  }
}

void ModelMetrics::Update(const Batch& batch, const Structure& predictions,
                          const LossPart& loss) {
  loss_.Add(loss.reported, loss.weight, loss.global_weight);
  for (size_t i = 0; i < losses_.size(); ++i) {
    losses_[i]->Add(loss.each[i], loss.weight, loss.global_weight);
  }
  if (!metrics_.empty()) UpdateMetrics(batch, predictions);
}

void ModelMetrics::UpdateMetrics(const Batch& batch,
                                 const Structure& predictions) {
  if (!batch.y) {
    throw InvalidArgument("[Fit] the model has metrics, the data no labels");
  }
  const std::vector<Tensor> outputs = predictions.Flatten();
  const std::vector<Tensor> labels =
      ForOutputs(*batch.y, outputs.size(), "labels");
  const auto weights = WeightsForOutputs(batch, outputs.size());
  for (const auto& [output, name, metric, weighted] : metrics_) {
    metric->UpdateState(labels[output], outputs[output],
                        weighted ? weights[output] : std::nullopt);
  }
}

Logs ModelMetrics::Results() const {
  Logs logs;
  for (const OutputMetric& metric : metrics_) {
    logs.Set(metric.name, metric.metric->Result());
  }
  logs.Set("loss", loss_.Result());
  for (const auto& loss : losses_) logs.Set(loss->name(), loss->Result());
  return logs;
}

void ModelMetrics::Reset() {
  loss_.ResetState();
  for (const auto& loss : losses_) loss->ResetState();
  for (const OutputMetric& metric : metrics_) metric.metric->ResetState();
}

}  // namespace lockstep
