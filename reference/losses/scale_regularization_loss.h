// Penalties on weights, divided by the number of replicas: every replica adds
// them to its loss, and gradients are summed
// (tf.nn.scale_regularization_loss).
//
//   ScaleRegularizationLoss(model.losses());   // on 2 replicas half their sum
#ifndef LOCKSTEP_REFERENCE_LOSSES_SCALE_REGULARIZATION_LOSS_H_
#define LOCKSTEP_REFERENCE_LOSSES_SCALE_REGULARIZATION_LOSS_H_

#include <vector>

#include "reference/tensor/tensor.h"

namespace lockstep {

// The sum of all elements over the number of replicas: a scalar of the losses'
// type (float64 for integers); differentiable.
// Errors: FailedPrecondition in cross-replica context.
Tensor ScaleRegularizationLoss(const Tensor& regularization_loss);

// The same of several losses; float32 0 for none.
// Errors: also InvalidArgument for types that differ.
Tensor ScaleRegularizationLoss(
    const std::vector<Tensor>& regularization_losses);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_LOSSES_SCALE_REGULARIZATION_LOSS_H_
