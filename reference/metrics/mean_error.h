// Mean squared, mean absolute and root mean squared error.
//
// The error of an example is the mean over its last axis; of rank-1 values each
// is an example. So a replica without data adds nothing (Keras averages rank-1
// values over the batch first, and an empty one makes its metric NaN for good).
#ifndef LOCKSTEP_REFERENCE_METRICS_MEAN_ERROR_H_
#define LOCKSTEP_REFERENCE_METRICS_MEAN_ERROR_H_

#include "reference/metrics/weighted_mean.h"

namespace lockstep {

class MeanSquaredError : public WeightedMean {
 public:
  explicit MeanSquaredError(std::string name = "mean_squared_error")
      : WeightedMean(std::move(name)) {}

  // Errors: InvalidArgument for shapes that differ.
  void UpdateState(const Tensor& labels, const Tensor& predictions,
                   const std::optional<Tensor>& sample_weight = std::nullopt);
};

class RootMeanSquaredError : public MeanSquaredError {
 public:
  explicit RootMeanSquaredError(std::string name = "root_mean_squared_error")
      : MeanSquaredError(std::move(name)) {}

  double Result() const override;
};

class MeanAbsoluteError : public WeightedMean {
 public:
  explicit MeanAbsoluteError(std::string name = "mean_absolute_error")
      : WeightedMean(std::move(name)) {}

  // Errors: InvalidArgument for shapes that differ.
  void UpdateState(const Tensor& labels, const Tensor& predictions,
                   const std::optional<Tensor>& sample_weight = std::nullopt);
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_METRICS_MEAN_ERROR_H_
