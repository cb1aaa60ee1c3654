#include "reference/optimizers/exponential_decay.h"

#include "reference/base/error.h"

namespace lockstep {

ExponentialDecay::ExponentialDecay(double initial_learning_rate,
                                   int64_t decay_steps, double decay_rate,
                                   bool staircase)
    : formula_{initial_learning_rate, decay_steps, decay_rate, staircase} {
  if (decay_steps < 1) {
    throw InvalidArgument(
        "[ExponentialDecay] decay_steps must be positive, got {}", decay_steps);
  }
}

}  // namespace lockstep
