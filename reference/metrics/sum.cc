#include "reference/metrics/sum.h"

#include "reference/metrics/sample_weight.h"

namespace lockstep {

Sum::Sum(std::string name)
    : Metric(std::move(name)), total_(AddState("total")) {}

void Sum::UpdateState(const Tensor& values,
                      const std::optional<Tensor>& sample_weight) {
  const Tensor numbers = values.ToHost().Cast(DType::kFloat32);
  const RowWeights weight(numbers.shape(), sample_weight);
  double total = 0;
  for (int64_t i = 0; i < numbers.num_elements(); ++i) {
    total += double{numbers.at<float>(i)} * weight[i];
  }
  total_->AssignAdd(Tensor::Scalar(static_cast<float>(total)));
}

}  // namespace lockstep
