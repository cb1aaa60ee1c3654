// How far predictions are from the truth, differentiably.
//
//   losses::SparseCategoricalCrossentropy loss(
//       {.from_logits = true, .reduction = losses::Reduction::kNone});
//   Tensor per_example = loss(labels, logits);            // [64]
//   ComputeAverageLoss(per_example, {.global_batch_size = 128});
//
// Under a strategy no replica knows the global batch, so a loss object cannot
// take its mean: only kSum and kNone are allowed there.
#ifndef LOCKSTEP_REFERENCE_LOSSES_LOSS_H_
#define LOCKSTEP_REFERENCE_LOSSES_LOSS_H_

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "reference/tensor/tensor.h"

namespace lockstep::losses {

enum class Reduction {
  kAuto,              // kSumOverBatchSize
  kNone,              // one loss an example (or element of it)
  kSum,               // their sum
  kSumOverBatchSize,  // their sum divided by their number; 0 for none
};

// "AUTO", "NONE", "SUM", "SUM_OVER_BATCH_SIZE".
std::string_view ReductionName(Reduction reduction);
// Errors: InvalidArgument for a name that is none of them.
Reduction ParseReduction(std::string_view name);

class Loss {
 public:
  virtual ~Loss() = default;

  const std::string& name() const { return name_; }
  Reduction reduction() const { return reduction_; }

  // The reduced loss. Weights: a scalar, one an example, or one an element.
  // Errors: InvalidArgument for shapes that do not fit and, under a strategy,
  // for a reduction that takes a mean.
  Tensor operator()(
      const Tensor& y_true, const Tensor& y_pred,
      const std::optional<Tensor>& sample_weight = std::nullopt) const;

  // The weighted losses before any reduction, under a strategy too.
  Tensor PerExample(
      const Tensor& y_true, const Tensor& y_pred,
      const std::optional<Tensor>& sample_weight = std::nullopt) const;

 protected:
  Loss(std::string name, Reduction reduction)
      : name_(std::move(name)), reduction_(reduction) {}

  // One loss for each example, or for each element of it.
  virtual Tensor Call(const Tensor& y_true, const Tensor& y_pred) const = 0;

 private:
  std::string name_;
  Reduction reduction_;
};

}  // namespace lockstep::losses

#endif  // LOCKSTEP_REFERENCE_LOSSES_LOSS_H_
