// What is measured of a model: its losses and the metrics of its outputs.
#ifndef LOCKSTEP_REFERENCE_TRAINING_MODEL_MODEL_METRICS_H_
#define LOCKSTEP_REFERENCE_TRAINING_MODEL_MODEL_METRICS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "reference/autodiff/trackable.h"
#include "reference/metrics/metric.h"
#include "reference/training/batches/batch.h"
#include "reference/training/events/logs.h"
#include "reference/training/model/model_losses.h"

namespace lockstep {

// A loss over many batches, each of which weighs as many as it has examples, or
// labels that count.
class LossTracker : public Metric {
 public:
  explicit LossTracker(std::string name);

  // A replica's part of a batch's loss, and how much its part of the batch and
  // all of it count.
  void Add(const Tensor& part, const Tensor& weight,
           const Tensor& global_weight);
  // 0 before any.
  double Result() const override;

 private:
  VariablePtr total_;
  VariablePtr count_;
};

// A metric of one output.
struct OutputMetric {
  size_t output = 0;
  std::string name;
  std::shared_ptr<Metric> metric;
  bool weighted = false;
};

// REQUIRES: made in the strategy's scope.
class ModelMetrics : public Trackable {
 public:
  // The total loss is "loss"; `losses` are those of several outputs.
  ModelMetrics(const std::vector<std::string>& losses,
               std::vector<OutputMetric> metrics);

  // What a replica saw of a batch. REQUIRES: replica context.
  void Update(const Batch& batch, const Structure& predictions,
              const LossPart& loss);

  // Over all replicas. REQUIRES, as of Reset: cross-replica context.
  Logs Results() const;
  void Reset();

 private:
  void UpdateMetrics(const Batch& batch, const Structure& predictions);

  LossTracker loss_{"loss"};
  std::vector<std::unique_ptr<LossTracker>> losses_;
  std::vector<OutputMetric> metrics_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_TRAINING_MODEL_MODEL_METRICS_H_
