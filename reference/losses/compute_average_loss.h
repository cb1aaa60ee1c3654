// The loss of a replica, scaled so that the sum over replicas is the mean over
// the global batch (tf.nn.compute_average_loss).
//
//   // Two replicas, global batch 4, losses (1, 2) here:
//   ComputeAverageLoss(losses, {.global_batch_size = 4});   // 0.75
//
// The sum of all elements, times their weights, is divided by the number of
// examples in the global batch; a loss of several elements an example (pixels,
// say) is for the caller to average first.
#ifndef LOCKSTEP_REFERENCE_LOSSES_COMPUTE_AVERAGE_LOSS_H_
#define LOCKSTEP_REFERENCE_LOSSES_COMPUTE_AVERAGE_LOSS_H_

#include <cstdint>
#include <optional>

#include "reference/tensor/tensor.h"

namespace lockstep {

struct AverageLossOptions {
  // A scalar, one an example, or one an element.
  std::optional<Tensor> sample_weight = std::nullopt;
  // By itself this replica's batch times the number of replicas, which gives
  // examples of a short batch too much weight.
  std::optional<int64_t> global_batch_size = std::nullopt;
};

// A scalar of the losses' type (float64 for integers), 0 for an empty batch;
// differentiable. Errors: InvalidArgument for a scalar loss, weights that do
// not fit or a global batch size below 1; FailedPrecondition in cross-replica
// context without one.
Tensor ComputeAverageLoss(const Tensor& per_example_loss,
                          const AverageLossOptions& options = {});

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_LOSSES_COMPUTE_AVERAGE_LOSS_H_
