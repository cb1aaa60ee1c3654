// The base class of losses, and the scaling of a replica's loss. The losses are
// in losses/cross_entropy.h and losses/regression_losses.h.
//
//   losses::SparseCategoricalCrossentropy loss(
//       {.from_logits = true, .reduction = losses::Reduction::kNone});
//   Tensor per_example = loss(labels, logits);            // [64]
//   ComputeAverageLoss(per_example, {.global_batch_size = 128});
//
// Under a strategy no replica knows the size of the global batch, so a loss
// object cannot compute its mean: only kSum and kNone are allowed.
#ifndef LOCKSTEP_REFERENCE_LOSSES_LOSS_H_
#define LOCKSTEP_REFERENCE_LOSSES_LOSS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/base/naming/object_config.h"
#include "reference/tensor/tensor.h"

namespace lockstep::losses {

enum class Reduction {
  kAuto,              // kSumOverBatchSize
  kNone,              // one loss per example (or element of it)
  kSum,               // their sum
  kSumOverBatchSize,  // their sum divided by the number that count; 0 for none
};

class Loss {
 public:
  virtual ~Loss() = default;

  // Its configuration for files. Errors: Unimplemented for a user-defined
  // class.
  virtual ObjectConfig Config() const;

  const std::string& name() const { return name_; }
  Reduction reduction() const { return reduction_; }

  // The reduced loss. Weights are a scalar, one per example, or one per
  // element. Errors: InvalidArgument for shapes that do not fit and, under a
  // strategy, for a reduction that takes a mean.
  Tensor operator()(
      const Tensor& y_true, const Tensor& y_pred,
      const std::optional<Tensor>& sample_weight = std::nullopt) const;

  // The weighted losses before reduction, also under a strategy.
  Tensor PerExample(
      const Tensor& y_true, const Tensor& y_pred,
      const std::optional<Tensor>& sample_weight = std::nullopt) const;

  // 1 for each loss that counts in a mean, 0 for others, as float32 of
  // PerExample's shape; undefined if all count.
  virtual Tensor Counted(const Tensor& /*y_true*/) const { return {}; }

 protected:
  Loss(std::string name, Reduction reduction)
      : name_(std::move(name)), reduction_(reduction) {}

  // A config with name and reduction.
  ObjectConfig StartConfig(std::string class_name) const;

  // One loss for each example, or for each element of it.
  virtual Tensor Call(const Tensor& y_true, const Tensor& y_pred) const = 0;

 private:
  std::string name_;
  Reduction reduction_;
};

// A sum of losses divided by the number that count, a float32 scalar; 0 if none
// counts.
Tensor MeanOfCounted(const Tensor& sum, const Tensor& count);

// The base class of losses per element, whose mean over the last axis is the
// loss.
//
// Labels or predictions may have an extra last axis of length 1, as in Keras 3:
// [64] with [64, 1] is [64, 1], [64, 5] with [64, 5, 1] is [64, 5]. Two of rank
// 1 are one example.
class ElementwiseLoss : public Loss {
 protected:
  using Loss::Loss;

  // The loss per element. Both have the predictions' type (float32 for
  // integers) and one shape.
  virtual Tensor Elements(const Tensor& truth,
                          const Tensor& prediction) const = 0;

 private:
  // Errors: InvalidArgument for other shapes, and for scalars.
  Tensor Call(const Tensor& y_true, const Tensor& y_pred) const final;
};

}  // namespace lockstep::losses

namespace lockstep {

// The loss of a replica, scaled so that the sum over replicas is the mean over
// the global batch (tf.nn.compute_average_loss).
//
//   // Two replicas, global batch 4, losses (1, 2) here:
//   ComputeAverageLoss(losses, {.global_batch_size = 4});   // 0.75
//
// The sum of all elements, times their weights, is divided by the number of
// examples in the global batch. If examples have several losses, such as one
// per pixel, the caller averages them first.
struct AverageLossOptions {
  // A scalar, one per example, or one per element.
  std::optional<Tensor> sample_weight = std::nullopt;
  // Default: this replica's batch times the number of replicas, which gives too
  // much weight to the examples of a short batch.
  std::optional<int64_t> global_batch_size = std::nullopt;
};

// A scalar of the losses' type (float64 for integers), 0 for an empty batch;
// differentiable. Errors: InvalidArgument for a scalar loss, weights that do
// not fit or a global batch size below 1; FailedPrecondition in cross-replica
// context without one.
Tensor ComputeAverageLoss(const Tensor& per_example_loss,
                          const AverageLossOptions& options = {});

// Penalties on weights, divided by the number of replicas: every replica adds
// them to its loss, and gradients are summed
// (tf.nn.scale_regularization_loss).
//
//   ScaleRegularizationLoss(model.losses());   // on 2 replicas half their sum
//
// The sum of all elements over the number of replicas: a scalar of the losses'
// type (float64 for integers); differentiable.
// Errors: FailedPrecondition in cross-replica context.
Tensor ScaleRegularizationLoss(const Tensor& regularization_loss);

// The same for several losses; float32 0 for none. Errors: also InvalidArgument
// for different types.
Tensor ScaleRegularizationLoss(
    const std::vector<Tensor>& regularization_losses);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_LOSSES_LOSS_H_
