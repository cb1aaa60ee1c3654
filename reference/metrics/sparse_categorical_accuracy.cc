#include "reference/metrics/sparse_categorical_accuracy.h"

#include "reference/base/error.h"
#include "reference/kernels/arg_max.h"
#include "reference/kernels/equal.h"

namespace lockstep {

void SparseCategoricalAccuracy::UpdateState(
    const Tensor& labels, const Tensor& predictions,
    const std::optional<Tensor>& sample_weight) {
  if (predictions.rank() < 1) {
    throw InvalidArgument(
        "[SparseCategoricalAccuracy] predictions want a class axis, got {}",
        Describe(predictions));
  }
  const Tensor chosen = kernels::ArgMax(predictions, -1);
  Tensor wanted = labels.Cast(DType::kInt64);
  if (wanted.num_elements() != chosen.num_elements()) {
    throw InvalidArgument(
        "[SparseCategoricalAccuracy] labels {} do not fit predictions {}",
        Describe(labels), Describe(predictions));
  }
  Accumulate(kernels::Equal(wanted.Reshape(chosen.shape()), chosen),
             sample_weight);
}

}  // namespace lockstep
