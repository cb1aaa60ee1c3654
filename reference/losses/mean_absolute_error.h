// The mean of |y_true - y_pred| over the last axis of each example.
//
//   MeanAbsoluteError loss({.reduction = Reduction::kNone});
//   loss([[0], [0]], [[1], [-2]]);   // [1, 2]
#ifndef LOCKSTEP_REFERENCE_LOSSES_MEAN_ABSOLUTE_ERROR_H_
#define LOCKSTEP_REFERENCE_LOSSES_MEAN_ABSOLUTE_ERROR_H_

#include <string>

#include "reference/losses/loss.h"

namespace lockstep::losses {

struct MeanAbsoluteErrorOptions {
  Reduction reduction = Reduction::kAuto;
  std::string name = "mean_absolute_error";
};

// Shapes as match_predictions.h; the last axis goes, also of rank-1 tensors, as
// Keras does.
class MeanAbsoluteError : public Loss {
 public:
  explicit MeanAbsoluteError(const MeanAbsoluteErrorOptions& options = {})
      : Loss(options.name, options.reduction) {}

 protected:
  Tensor Call(const Tensor& y_true, const Tensor& y_pred) const override;
};

}  // namespace lockstep::losses

#endif  // LOCKSTEP_REFERENCE_LOSSES_MEAN_ABSOLUTE_ERROR_H_
