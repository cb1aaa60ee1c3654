#include "reference/metrics/weighted_mean.h"

#include "reference/metrics/sample_weight.h"

namespace lockstep {

WeightedMean::WeightedMean(std::string name)
    : Metric(std::move(name)),
      total_(AddState("total")),
      count_(AddState("count")) {}

void WeightedMean::Accumulate(const Tensor& values,
                              const std::optional<Tensor>& sample_weight) {
  const Tensor sums = WeightedSums(values, sample_weight);
  total_->AssignAdd(sums.Row(0));
  count_->AssignAdd(sums.Row(1));
}

double WeightedMean::Result() const {
  const double count = Read(count_);
  return count == 0 ? 0.0 : Read(total_) / count;
}

}  // namespace lockstep
