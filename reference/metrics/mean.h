// The mean of all values seen. Of losses that are divided by the global batch
// size it is too small by the number of replicas (the documents warn of this).
//
//   Mean loss("test_loss");
//   loss.UpdateState(Tensor::FromVector<float>({1, 2, 6}));
//   loss.Result();   // 3
#ifndef LOCKSTEP_REFERENCE_METRICS_MEAN_H_
#define LOCKSTEP_REFERENCE_METRICS_MEAN_H_

#include "reference/metrics/weighted_mean.h"

namespace lockstep {

class Mean : public WeightedMean {
 public:
  explicit Mean(std::string name = "mean") : WeightedMean(std::move(name)) {}

  void UpdateState(const Tensor& values,
                   const std::optional<Tensor>& sample_weight = std::nullopt) {
    Accumulate(values, sample_weight);
  }
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_METRICS_MEAN_H_
