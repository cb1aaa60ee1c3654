// initial * rate^(step / decay_steps); with `staircase` the quotient is whole.
//
//   ExponentialDecay rate(1.0, /*decay_steps=*/1, /*decay_rate=*/0.5);
//   rate.At(2);   // 0.25
#ifndef LOCKSTEP_REFERENCE_OPTIMIZERS_EXPONENTIAL_DECAY_H_
#define LOCKSTEP_REFERENCE_OPTIMIZERS_EXPONENTIAL_DECAY_H_

#include "reference/kernels/learning_rate.h"
#include "reference/optimizers/learning_rate_schedule.h"

namespace lockstep {

class ExponentialDecay : public LearningRateSchedule {
 public:
  // Errors: InvalidArgument for decay_steps < 1.
  ExponentialDecay(double initial_learning_rate, int64_t decay_steps,
                   double decay_rate, bool staircase = false);

  double At(int64_t step) const override { return formula_.At(step); }
  Tensor At(const Tensor& step) const override {
    return kernels::RateAt(step, formula_);
  }

 private:
  kernels::ExponentialRate formula_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_OPTIMIZERS_EXPONENTIAL_DECAY_H_
