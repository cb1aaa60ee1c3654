// The formulas of learning rates that follow the steps, on the host as on a
// GPU.
#ifndef LOCKSTEP_REFERENCE_KERNELS_LEARNING_RATE_MATH_H_
#define LOCKSTEP_REFERENCE_KERNELS_LEARNING_RATE_MATH_H_

#include <cmath>
#include <cstdint>

namespace lockstep::kernels {

// initial * rate^(step / decay_steps); with `staircase` the quotient is whole.
struct ExponentialRate {
  double initial;
  int64_t decay_steps;
  double decay_rate;
  bool staircase;

  constexpr double At(int64_t step) const {
    double exponent =
        static_cast<double>(step) / static_cast<double>(decay_steps);
    if (staircase) exponent = std::floor(exponent);
    return initial * std::pow(decay_rate, exponent);
  }
};

}  // namespace lockstep::kernels

#endif  // LOCKSTEP_REFERENCE_KERNELS_LEARNING_RATE_MATH_H_
