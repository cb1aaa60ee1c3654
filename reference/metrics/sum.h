// The sum of all values seen, each times its weight.
#ifndef LOCKSTEP_REFERENCE_METRICS_SUM_H_
#define LOCKSTEP_REFERENCE_METRICS_SUM_H_

#include "reference/metrics/metric.h"

namespace lockstep {

class Sum : public Metric {
 public:
  explicit Sum(std::string name = "sum");

  // Errors as WeightedMean::Accumulate.
  void UpdateState(const Tensor& values,
                   const std::optional<Tensor>& sample_weight = std::nullopt);
  double Result() const override { return Read(total_); }

 private:
  VariablePtr total_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_METRICS_SUM_H_
