#include "reference/losses/match_predictions.h"

#include <array>

#include "reference/autodiff/ops/arithmetic.h"
#include "reference/autodiff/ops/match_ranks.h"
#include "reference/autodiff/ops/reduce.h"
#include "reference/autodiff/ops/reshape.h"
#include "reference/base/error.h"

namespace lockstep::losses_internal {

Tensor Difference(const std::string& loss, const Tensor& y_true,
                  const Tensor& y_pred) {
  const DType dtype =
      IsFloating(y_pred.dtype()) ? y_pred.dtype() : DType::kFloat32;
  const Tensor truth = ops::SqueezeTo(ops::Cast(y_true, dtype), y_pred.rank());
  const Tensor prediction =
      ops::SqueezeTo(ops::Cast(y_pred, dtype), y_true.rank());
  if (truth.shape() != prediction.shape() || truth.rank() == 0) {
    throw InvalidArgument("[{}] truth {} does not go with predictions {}", loss,
                          Describe(y_true), Describe(y_pred));
  }
  return ops::Subtract(prediction, truth);
}

Tensor MeanOverLastAxis(const Tensor& x) {
  const std::array last = {-1};
  return x.dim(x.rank() - 1) == 0 ? ops::ReduceSum(x, last)
                                  : ops::ReduceMean(x, last);
}

}  // namespace lockstep::losses_internal
