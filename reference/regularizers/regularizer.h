// A penalty on a weight, to be added to the loss once a step.
//
//   RegularizerPtr l2 = std::make_shared<L2>(0.01);
//   (*l2)(kernel->Read());                            // 0.01 * sum(kernel^2)
//
// Under a strategy every replica adds the same penalty, so it is divided by
// their number: ScaleRegularizationLoss(model.losses()).
#ifndef LOCKSTEP_REFERENCE_REGULARIZERS_REGULARIZER_H_
#define LOCKSTEP_REFERENCE_REGULARIZERS_REGULARIZER_H_

#include <memory>

#include "reference/tensor/tensor.h"

namespace lockstep {

class Regularizer {
 public:
  virtual ~Regularizer() = default;
  // A scalar; differentiable. Errors: InvalidArgument for non-floating weights.
  virtual Tensor operator()(const Tensor& weight) const = 0;
};

using RegularizerPtr = std::shared_ptr<const Regularizer>;

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_REGULARIZERS_REGULARIZER_H_
