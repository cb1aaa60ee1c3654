// The mean of values, each with a weight: what most metrics are.
#ifndef LOCKSTEP_REFERENCE_METRICS_WEIGHTED_MEAN_H_
#define LOCKSTEP_REFERENCE_METRICS_WEIGHTED_MEAN_H_

#include <optional>
#include <string>

#include "reference/metrics/metric.h"

namespace lockstep {

class WeightedMean : public Metric {
 public:
  // Sum of value * weight over sum of weights; 0 before any update.
  double Result() const override;

 protected:
  explicit WeightedMean(std::string name);

  // Adds values (numbers of any type and shape). Without weights each counts
  // once; weights have the values' shape, or one for each row of axis 0.
  // Errors: InvalidArgument for weights of another shape, or values that are
  // no numbers.
  void Accumulate(const Tensor& values,
                  const std::optional<Tensor>& sample_weight);

 private:
  VariablePtr total_;
  VariablePtr count_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_METRICS_WEIGHTED_MEAN_H_
