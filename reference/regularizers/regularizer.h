// A penalty on a weight, added to the loss once per step.
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

// The penalty factor * sum(|weight|).
//
//   L1(0.5)([1, -2])   // 1.5
class L1 : public Regularizer {
 public:
  // Errors: InvalidArgument for a negative or non-finite factor.
  explicit L1(double factor = 0.01);

  double factor() const { return factor_; }
  Tensor operator()(const Tensor& weight) const override;

 private:
  double factor_;
};

// The penalty factor * sum(weight^2).
//
//   L2(0.5)([1, -2])   // 2.5
class L2 : public Regularizer {
 public:
  // Errors: InvalidArgument for a negative or non-finite factor.
  explicit L2(double factor = 0.01);

  double factor() const { return factor_; }
  Tensor operator()(const Tensor& weight) const override;

 private:
  double factor_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_REGULARIZERS_REGULARIZER_H_
