#include "reference/losses/scale_regularization_loss.h"

#include "reference/autodiff/distribution_context.h"
#include "reference/autodiff/ops/arithmetic.h"
#include "reference/autodiff/ops/reduce.h"
#include "reference/base/error.h"

namespace lockstep {

Tensor ScaleRegularizationLoss(const Tensor& regularization_loss) {
  const DistributionContext& context = DistributionContext::Current();
  if (context.in_cross_replica_context()) {
    throw FailedPrecondition(
        "[ScaleRegularizationLoss] wants replica context: call it inside Run");
  }
  const Tensor losses = IsFloating(regularization_loss.dtype())
                            ? regularization_loss
                            : regularization_loss.Cast(DType::kFloat64);
  const Tensor replicas =
      Tensor::Scalar(context.num_replicas_in_sync(), losses.device());
  return ops::Divide(ops::ReduceSum(losses), replicas.Cast(losses.dtype()));
}

Tensor ScaleRegularizationLoss(
    const std::vector<Tensor>& regularization_losses) {
  if (regularization_losses.empty()) {
    return ScaleRegularizationLoss(Tensor::Scalar(0.0f));
  }
  Tensor sum = ops::ReduceSum(regularization_losses[0]);
  for (size_t i = 1; i < regularization_losses.size(); ++i) {
    sum = ops::Add(sum, ops::ReduceSum(regularization_losses[i]));
  }
  return ScaleRegularizationLoss(sum);
}

}  // namespace lockstep
