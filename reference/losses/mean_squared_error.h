// The mean of (y_true - y_pred)^2 over the last axis of each example.
//
//   MeanSquaredError loss({.reduction = Reduction::kNone});
//   loss([[0], [0]], [[1], [2]]);   // [1, 4]
#ifndef LOCKSTEP_REFERENCE_LOSSES_MEAN_SQUARED_ERROR_H_
#define LOCKSTEP_REFERENCE_LOSSES_MEAN_SQUARED_ERROR_H_

#include <string>

#include "reference/losses/loss.h"

namespace lockstep::losses {

struct MeanSquaredErrorOptions {
  Reduction reduction = Reduction::kAuto;
  std::string name = "mean_squared_error";
};

// Shapes as match_predictions.h; the last axis goes, also of rank-1 tensors, as
// Keras does.
class MeanSquaredError : public Loss {
 public:
  explicit MeanSquaredError(const MeanSquaredErrorOptions& options = {})
      : Loss(options.name, options.reduction) {}

 protected:
  Tensor Call(const Tensor& y_true, const Tensor& y_pred) const override;
};

}  // namespace lockstep::losses

#endif  // LOCKSTEP_REFERENCE_LOSSES_MEAN_SQUARED_ERROR_H_
