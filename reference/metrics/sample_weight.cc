#include "reference/metrics/sample_weight.h"

#include <algorithm>

#include "reference/base/error.h"
#include "reference/kernels/weighted_sums.h"

namespace lockstep {

RowWeights::RowWeights(const Tensor& values,
                       const std::optional<Tensor>& weights) {
  if (!weights) return;
  const int64_t elements = values.num_elements();
  const int64_t rows = values.rank() == 0 ? 1 : values.dim(0);
  const bool one_for_all = weights->rank() == 0;
  const bool one_each = weights->shape() == values.shape();
  const bool one_a_row = weights->rank() >= 1 && weights->dim(0) == rows &&
                         weights->num_elements() == rows;
  if (!one_for_all && !one_each && !one_a_row) {
    throw InvalidArgument("[Metric] values {} and sample weights {} do not fit",
                          ToString(values.shape()), ToString(weights->shape()));
  }
  weights_ = weights->Cast(DType::kFloat32).To(values.device());
  if (!one_each) {
    const int64_t groups = one_for_all ? 1 : std::max<int64_t>(rows, 1);
    elements_each_ = std::max<int64_t>(elements / groups, 1);
  }
}

Tensor WeightedSums(const Tensor& values,
                    const std::optional<Tensor>& sample_weight) {
  const Tensor numbers = values.Cast(DType::kFloat32);
  const RowWeights weights(numbers, sample_weight);
  return kernels::WeightedSums(numbers, weights.weights(),
                               weights.elements_each());
}

}  // namespace lockstep
