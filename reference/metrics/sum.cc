#include "reference/metrics/sum.h"

#include "reference/metrics/sample_weight.h"

namespace lockstep {

Sum::Sum(std::string name)
    : Metric(std::move(name)), total_(AddState("total")) {}

void Sum::UpdateState(const Tensor& values,
                      const std::optional<Tensor>& sample_weight) {
  total_->AssignAdd(WeightedSums(values, sample_weight).Row(0));
}

}  // namespace lockstep
