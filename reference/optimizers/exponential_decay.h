// initial * rate^(step / decay_steps); with `staircase` the quotient is whole.
//
//   ExponentialDecay rate(1.0, /*decay_steps=*/1, /*decay_rate=*/0.5);
//   rate.At(2);   // 0.25
#ifndef LOCKSTEP_REFERENCE_OPTIMIZERS_EXPONENTIAL_DECAY_H_
#define LOCKSTEP_REFERENCE_OPTIMIZERS_EXPONENTIAL_DECAY_H_

#include "reference/optimizers/learning_rate_schedule.h"

namespace lockstep {

class ExponentialDecay : public LearningRateSchedule {
 public:
  // Errors: InvalidArgument for decay_steps < 1.
  ExponentialDecay(double initial_learning_rate, int64_t decay_steps,
                   double decay_rate, bool staircase = false);

  double At(int64_t step) const override;

 private:
  double initial_learning_rate_;
  int64_t decay_steps_;
  double decay_rate_;
  bool staircase_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_OPTIMIZERS_EXPONENTIAL_DECAY_H_
