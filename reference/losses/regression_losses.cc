#include "reference/losses/regression_losses.h"

#include "reference/autodiff/ops/math_ops.h"

namespace lockstep::losses {

Tensor MeanSquaredError::Elements(const Tensor& truth,
                                  const Tensor& prediction) const {
  return ops::Square(ops::Subtract(prediction, truth));
}

Tensor MeanAbsoluteError::Elements(const Tensor& truth,
                                   const Tensor& prediction) const {
  return ops::Abs(ops::Subtract(prediction, truth));
}

ObjectConfig MeanSquaredError::Config() const {
  return StartConfig("MeanSquaredError");
}

ObjectConfig MeanAbsoluteError::Config() const {
  return StartConfig("MeanAbsoluteError");
}

}  // namespace lockstep::losses
