#include "reference/losses/compute_average_loss.h"

#include "reference/autodiff/distribution_context.h"
#include "reference/autodiff/ops/arithmetic.h"
#include "reference/autodiff/ops/match_ranks.h"
#include "reference/autodiff/ops/reduce.h"
#include "reference/autodiff/ops/reshape.h"
#include "reference/base/error.h"

namespace lockstep {
namespace {

int64_t GlobalBatchSize(const Tensor& losses,
                        const std::optional<int64_t>& given) {
  if (given) {
    if (*given < 1) {
      throw InvalidArgument(
          "[ComputeAverageLoss] global_batch_size must be at least 1, got {}",
          *given);
    }
    return *given;
  }
  const DistributionContext& context = DistributionContext::Current();
  if (context.in_cross_replica_context()) {
    throw FailedPrecondition(
        "[ComputeAverageLoss] in cross-replica context the global batch size "
        "is not known: give it, or call inside Run");
  }
  return losses.dim(0) * context.num_replicas_in_sync();
}

}  // namespace

Tensor ComputeAverageLoss(const Tensor& per_example_loss,
                          const AverageLossOptions& options) {
  if (!per_example_loss.defined() || per_example_loss.rank() == 0) {
    throw InvalidArgument(
        "[ComputeAverageLoss] expected a tensor with at least rank 1, got {}",
        Describe(per_example_loss));
  }
  Tensor losses = IsFloating(per_example_loss.dtype())
                      ? per_example_loss
                      : per_example_loss.Cast(DType::kFloat64);
  const int64_t batch_size = GlobalBatchSize(losses, options.global_batch_size);
  if (options.sample_weight) {
    losses = ops::Multiply(
        losses, ops::AlignWeights("ComputeAverageLoss", *options.sample_weight,
                                  losses));
  }
  const Tensor sum = ops::ReduceSum(losses);
  if (batch_size == 0) return sum;  // an empty batch: 0, not 0 / 0
  const Tensor divisor = Tensor::Scalar(batch_size, sum.device());
  return ops::Divide(sum, divisor.Cast(sum.dtype()));
}

}  // namespace lockstep
