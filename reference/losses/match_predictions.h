// What losses of differences share.
#ifndef LOCKSTEP_REFERENCE_LOSSES_MATCH_PREDICTIONS_H_
#define LOCKSTEP_REFERENCE_LOSSES_MATCH_PREDICTIONS_H_

#include <string>

#include "reference/tensor/tensor.h"

namespace lockstep::losses_internal {

// y_pred - y_true in the predictions' type (float32 for integers). Either may
// have one more last axis, of length 1.
// Errors: InvalidArgument, led by `loss`, for a scalar or other shapes.
Tensor Difference(const std::string& loss, const Tensor& y_true,
                  const Tensor& y_pred);

// The mean over the last axis; 0 where that axis is empty.
Tensor MeanOverLastAxis(const Tensor& x);

}  // namespace lockstep::losses_internal

#endif  // LOCKSTEP_REFERENCE_LOSSES_MATCH_PREDICTIONS_H_
