// How often the class with the largest score is the label.
//
//   SparseCategoricalAccuracy accuracy;
//   accuracy.UpdateState(labels, scores);   // labels (n,), scores (n, classes)
#ifndef LOCKSTEP_REFERENCE_METRICS_SPARSE_CATEGORICAL_ACCURACY_H_
#define LOCKSTEP_REFERENCE_METRICS_SPARSE_CATEGORICAL_ACCURACY_H_

#include "reference/metrics/weighted_mean.h"

namespace lockstep {

class SparseCategoricalAccuracy : public WeightedMean {
 public:
  explicit SparseCategoricalAccuracy(
      std::string name = "sparse_categorical_accuracy")
      : WeightedMean(std::move(name)) {}

  // Labels are numbers (int32, int64, uint8, float32) of shape (..., ) or
  // (..., 1), predictions of shape (..., classes). Errors: InvalidArgument when
  // their shapes do not fit.
  void UpdateState(const Tensor& labels, const Tensor& predictions,
                   const std::optional<Tensor>& sample_weight = std::nullopt);
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_METRICS_SPARSE_CATEGORICAL_ACCURACY_H_
