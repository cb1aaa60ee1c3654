#include "reference/losses/loss.h"

#include <algorithm>
#include <array>

#include "reference/autodiff/distribution_context.h"
#include "reference/autodiff/ops/arithmetic.h"
#include "reference/autodiff/ops/match_ranks.h"
#include "reference/autodiff/ops/reduce.h"
#include "reference/autodiff/ops/reshape.h"
#include "reference/base/error.h"
#include "reference/base/trace.h"

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
      name, ReductionName(reduction));
}

}  // namespace

std::string_view ReductionName(Reduction reduction) {
  return kNames[static_cast<size_t>(reduction)];
}

Reduction ParseReduction(std::string_view name) {
  const auto found = std::ranges::find(kNames, name);
  if (found == kNames.end()) {
    throw InvalidArgument("[Reduction] no reduction is named '{}'", name);
  }
  return static_cast<Reduction>(found - kNames.begin());
}

Tensor Loss::PerExample(const Tensor& y_true, const Tensor& y_pred,
                        const std::optional<Tensor>& sample_weight) const {
  const Tensor losses = Call(y_true, IsNarrowFloat(y_pred.dtype())
                                         ? ops::Cast(y_pred, DType::kFloat32)
                                         : y_pred);
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
  // The mean of nothing would be NaN; nothing lost is 0.
  if (mean && losses.num_elements() > 0) return ops::ReduceMean(losses);
  return ops::ReduceSum(losses);
}

}  // namespace lockstep::losses
