#include "reference/losses/loss.h"

#include <array>
#include <string>

#include "reference/autodiff/distribution_context.h"
#include "reference/autodiff/ops/array_ops.h"
#include "reference/autodiff/ops/math_ops.h"
#include "reference/base/error.h"
#include "reference/base/trace.h"
#include "reference/tensor/tensor.h"

namespace lockstep::losses {
namespace {

constexpr std::array<std::string_view, 4> kNames = {"AUTO", "NONE", "SUM",
                                                    "SUM_OVER_BATCH_SIZE"};

// The mean over one replica's examples is not the mean over the global batch.
void CheckMeanIsPossible(const std::string& name, Reduction reduction) {
  if (!DistributionContext::Current().has_strategy()) return;
  throw InvalidArgument(
      "[{}] under a strategy please use Reduction SUM or NONE and divide by "
      "the global batch size (ComputeAverageLoss), got {}",
      name, kNames[static_cast<size_t>(reduction)]);
}

}  // namespace

ObjectConfig Loss::Config() const {
  throw Unimplemented("[{}] a class of one's own does not say how it is made",
                      name_);
}

ObjectConfig Loss::StartConfig(std::string class_name) const {
  constexpr std::array kKerasNames = {"sum_over_batch_size", "none", "sum",
                                      "sum_over_batch_size"};
  const std::string reduction = kKerasNames[static_cast<size_t>(reduction_)];
  return {std::move(class_name), {{"name", name_}, {"reduction", reduction}}};
}

Tensor Loss::PerExample(const Tensor& y_true, const Tensor& y_pred,
                        const std::optional<Tensor>& sample_weight) const {
  const Tensor losses = Call(y_true, ops::Widened(y_pred));
  if (!sample_weight) return losses;
  return ops::Multiply(
      losses, ops::AlignWeights(name_.c_str(), *sample_weight, losses));
}

Tensor Loss::operator()(const Tensor& y_true, const Tensor& y_pred,
                        const std::optional<Tensor>& sample_weight) const {
  const TraceSpan span(name_, "loss");
  const bool mean = reduction_ == Reduction::kAuto ||
                    reduction_ == Reduction::kSumOverBatchSize;
  if (mean) CheckMeanIsPossible(name_, reduction_);
  const Tensor losses = PerExample(y_true, y_pred, sample_weight);
  if (reduction_ == Reduction::kNone) return losses;
  // The mean of no losses would be NaN, so it is 0.
  if (!mean || losses.num_elements() == 0) return ops::ReduceSum(losses);
  const Tensor counted = Counted(y_true);
  return counted.defined()
             ? MeanOfCounted(ops::ReduceSum(losses), ops::ReduceSum(counted))
             : ops::ReduceMean(losses);
}

Tensor MeanOfCounted(const Tensor& sum, const Tensor& count) {
  return ops::Divide(sum, ops::DivisorOf(count).Cast(sum.dtype()));
}

Tensor ElementwiseLoss::Call(const Tensor& y_true, const Tensor& y_pred) const {
  const DType dtype =
      IsFloating(y_pred.dtype()) ? y_pred.dtype() : DType::kFloat32;
  const auto [truth, prediction] =
      ops::SameRank(ops::Cast(y_true, dtype), ops::Cast(y_pred, dtype));
  if (truth.shape() != prediction.shape() || truth.rank() == 0) {
    throw InvalidArgument("[{}] truth {} does not go with predictions {}",
                          name(), Describe(y_true), Describe(y_pred));
  }
  const Tensor elements = Elements(truth, prediction);
  const std::array last = {-1};
  // The mean of no elements would be NaN.
  return elements.dim(elements.rank() - 1) == 0
             ? ops::ReduceSum(elements, last)
             : ops::ReduceMean(elements, last);
}

}  // namespace lockstep::losses

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
        "is unknown: pass it, or call inside Run");
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

Tensor ScaleRegularizationLoss(const Tensor& regularization_loss) {
  const DistributionContext& context = DistributionContext::Current();
  if (context.in_cross_replica_context()) {
    throw FailedPrecondition(
        "[ScaleRegularizationLoss] needs replica context: call it inside Run");
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
