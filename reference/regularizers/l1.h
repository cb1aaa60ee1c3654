// The penalty factor * sum(|weight|).
//
//   L1(0.5)([1, -2])   // 1.5
#ifndef LOCKSTEP_REFERENCE_REGULARIZERS_L1_H_
#define LOCKSTEP_REFERENCE_REGULARIZERS_L1_H_

#include "reference/regularizers/regularizer.h"

namespace lockstep {

class L1 : public Regularizer {
 public:
  // Errors: InvalidArgument for a negative or non-finite factor.
  explicit L1(double factor = 0.01);

  Tensor operator()(const Tensor& weight) const override;

 private:
  double factor_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_REGULARIZERS_L1_H_
