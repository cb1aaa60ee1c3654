#include "reference/losses/mean_absolute_error.h"

#include "reference/autodiff/ops/unary.h"
#include "reference/losses/match_predictions.h"

namespace lockstep::losses {

Tensor MeanAbsoluteError::Call(const Tensor& y_true,
                               const Tensor& y_pred) const {
  return losses_internal::MeanOverLastAxis(
      ops::Abs(losses_internal::Difference(name(), y_true, y_pred)));
}

}  // namespace lockstep::losses
