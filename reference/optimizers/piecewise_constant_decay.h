// values[0] up to and including step boundaries[0], then values[1], and so on.
//
//   PiecewiseConstantDecay rate({1}, {1.0, 0.1});
//   rate.At(0);   // 1.0
//   rate.At(1);   // 1.0
//   rate.At(2);   // 0.1
#ifndef LOCKSTEP_REFERENCE_OPTIMIZERS_PIECEWISE_CONSTANT_DECAY_H_
#define LOCKSTEP_REFERENCE_OPTIMIZERS_PIECEWISE_CONSTANT_DECAY_H_

#include <vector>

#include "reference/optimizers/learning_rate_schedule.h"

namespace lockstep {

class PiecewiseConstantDecay : public LearningRateSchedule {
 public:
  // Errors: InvalidArgument unless there is one value more than boundaries and
  // the boundaries ascend.
  PiecewiseConstantDecay(std::vector<int64_t> boundaries,
                         std::vector<double> values);

  double At(int64_t step) const override;
  Tensor At(const Tensor& step) const override;

 private:
  std::vector<int64_t> boundaries_;
  std::vector<double> values_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_OPTIMIZERS_PIECEWISE_CONSTANT_DECAY_H_
