// How many predictions equal their label.
#ifndef LOCKSTEP_REFERENCE_METRICS_ACCURACY_H_
#define LOCKSTEP_REFERENCE_METRICS_ACCURACY_H_

#include "reference/metrics/weighted_mean.h"

namespace lockstep {

class Accuracy : public WeightedMean {
 public:
  explicit Accuracy(std::string name = "accuracy")
      : WeightedMean(std::move(name)) {}

  // Errors: InvalidArgument for types or shapes that differ.
  void UpdateState(const Tensor& labels, const Tensor& predictions,
                   const std::optional<Tensor>& sample_weight = std::nullopt);
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_METRICS_ACCURACY_H_
