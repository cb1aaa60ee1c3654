// The penalty factor * sum(weight^2).
//
//   L2(0.5)([1, -2])   // 2.5
#ifndef LOCKSTEP_REFERENCE_REGULARIZERS_L2_H_
#define LOCKSTEP_REFERENCE_REGULARIZERS_L2_H_

#include "reference/regularizers/regularizer.h"

namespace lockstep {

class L2 : public Regularizer {
 public:
  // Errors: InvalidArgument for a negative or non-finite factor.
  explicit L2(double factor = 0.01);

  Tensor operator()(const Tensor& weight) const override;

 private:
  double factor_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_REGULARIZERS_L2_H_
