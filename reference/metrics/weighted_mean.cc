#include "reference/metrics/weighted_mean.h"

#include "reference/metrics/sample_weight.h"

namespace lockstep {

WeightedMean::WeightedMean(std::string name)
    : Metric(std::move(name)),
      total_(AddState("total")),
      count_(AddState("count")) {}

void WeightedMean::Accumulate(const Tensor& values,
                              const std::optional<Tensor>& sample_weight) {
  const Tensor numbers = values.Cast(DType::kFloat32).ToHost();
  const float* value = numbers.data<float>();
  const RowWeights weight(numbers.shape(), sample_weight);
  // In double: one rounding a batch, whatever its size.
  double total = 0;
  double count = 0;
  for (int64_t i = 0; i < numbers.num_elements(); ++i) {
    total += double{value[i]} * weight[i];
    count += weight[i];
  }
  total_->AssignAdd(Tensor::Scalar(static_cast<float>(total)));
  count_->AssignAdd(Tensor::Scalar(static_cast<float>(count)));
}

double WeightedMean::Result() const {
  const double count = Read(count_);
  return count == 0 ? 0.0 : Read(total_) / count;
}

}  // namespace lockstep
