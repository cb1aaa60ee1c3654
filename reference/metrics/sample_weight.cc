#include "reference/metrics/sample_weight.h"

#include <algorithm>

#include "reference/base/error.h"

namespace lockstep {

RowWeights::RowWeights(const Shape& values,
                       const std::optional<Tensor>& weights) {
  if (!weights) return;
  const int64_t elements = values.num_elements();
  const int64_t rows = values.rank() == 0 ? 1 : values[0];
  const bool one_for_all = weights->rank() == 0;
  const bool one_each = weights->shape() == values;
  const bool one_a_row = weights->rank() >= 1 && weights->dim(0) == rows &&
                         weights->num_elements() == rows;
  if (!one_for_all && !one_each && !one_a_row) {
    throw InvalidArgument("[Metric] values {} and sample weights {} do not fit",
                          ToString(values), ToString(weights->shape()));
  }
  weights_ = weights->Cast(DType::kFloat32).ToHost();
  if (!one_each) {
    const int64_t groups = one_for_all ? 1 : std::max<int64_t>(rows, 1);
    elements_each_ = std::max<int64_t>(elements / groups, 1);
  }
}

}  // namespace lockstep
