#include "reference/optimizers/exponential_decay.h"

#include <cmath>

#include "reference/base/error.h"

namespace lockstep {

ExponentialDecay::ExponentialDecay(double initial_learning_rate,
                                   int64_t decay_steps, double decay_rate,
                                   bool staircase)
    : initial_learning_rate_(initial_learning_rate),
      decay_steps_(decay_steps),
      decay_rate_(decay_rate),
      staircase_(staircase) {
  if (decay_steps < 1) {
    throw InvalidArgument(
        "[ExponentialDecay] decay_steps must be positive, got {}", decay_steps);
  }
}

double ExponentialDecay::At(int64_t step) const {
  double exponent =
      static_cast<double>(step) / static_cast<double>(decay_steps_);
  if (staircase_) exponent = std::floor(exponent);
  return initial_learning_rate_ * std::pow(decay_rate_, exponent);
}

}  // namespace lockstep
