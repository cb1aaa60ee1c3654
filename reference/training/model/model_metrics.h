// A model's losses and the metrics of its outputs over many batches.
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

// The mean loss over many batches. The weight of a batch is the number of its
// examples, or of its labels that are not ignored.
class LossTracker : public Metric {
 public:
  explicit LossTracker(std::string name);

  // Adds a replica's part of a batch's loss. `weight` is of its part of the batch,
  // `global_weight` of the whole batch.
  void Add(const Tensor& part, const Tensor& weight,
           const Tensor& global_weight);
  // 0 if nothing was added.
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

// REQUIRES: created in the strategy's scope.
class ModelMetrics : public Trackable {
 public:
  // `losses` are the names of the outputs' losses; the total loss is "loss".
  ModelMetrics(const std::vector<std::string>& losses,
               std::vector<OutputMetric> metrics);

  // Adds a replica's part of a batch. REQUIRES: replica context.
  void Update(const Batch& batch, const Structure& predictions,
              const LossPart& loss);

  // The results over all replicas. REQUIRES, here and for Reset: cross-replica
  // context.
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
