#include "reference/metrics/accuracy.h"

#include "reference/kernels/equal.h"

namespace lockstep {

void Accuracy::UpdateState(const Tensor& labels, const Tensor& predictions,
                           const std::optional<Tensor>& sample_weight) {
  Accumulate(kernels::Equal(labels, predictions), sample_weight);
}

}  // namespace lockstep
