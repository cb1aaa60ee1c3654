// Losses of predicted numbers.
//
//   losses::MeanSquaredError loss({.reduction = losses::Reduction::kNone});
//   loss([[0], [0]], [[1], [2]]);   // [1, 4]
#ifndef LOCKSTEP_REFERENCE_LOSSES_REGRESSION_LOSSES_H_
#define LOCKSTEP_REFERENCE_LOSSES_REGRESSION_LOSSES_H_

#include <string>

#include "reference/losses/loss.h"
#include "reference/tensor/tensor.h"

namespace lockstep::losses {

// The mean of (y_true - y_pred)^2 over the last axis of each example.
struct MeanSquaredErrorOptions {
  Reduction reduction = Reduction::kAuto;
  std::string name = "mean_squared_error";
};

class MeanSquaredError : public ElementwiseLoss {
 public:
  explicit MeanSquaredError(const MeanSquaredErrorOptions& options = {})
      : ElementwiseLoss(options.name, options.reduction) {}

  ObjectConfig Config() const override;

 protected:
  Tensor Elements(const Tensor& truth, const Tensor& prediction) const override;
};

// The mean of |y_true - y_pred| over the last axis of each example.
struct MeanAbsoluteErrorOptions {
  Reduction reduction = Reduction::kAuto;
  std::string name = "mean_absolute_error";
};

class MeanAbsoluteError : public ElementwiseLoss {
 public:
  explicit MeanAbsoluteError(const MeanAbsoluteErrorOptions& options = {})
      : ElementwiseLoss(options.name, options.reduction) {}

  ObjectConfig Config() const override;

 protected:
  Tensor Elements(const Tensor& truth, const Tensor& prediction) const override;
};

}  // namespace lockstep::losses

#endif  // LOCKSTEP_REFERENCE_LOSSES_REGRESSION_LOSSES_H_
