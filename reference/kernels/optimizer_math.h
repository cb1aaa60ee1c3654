// One element's step of each optimizer, on the host as on a GPU; the kernels'
// own headers (sgd_update.h, ...) have the formulas. Every operation rounds, as
// Keras' does.
#ifndef LOCKSTEP_REFERENCE_KERNELS_OPTIMIZER_MATH_H_
#define LOCKSTEP_REFERENCE_KERNELS_OPTIMIZER_MATH_H_

#include <cmath>

#include "reference/kernels/optimizer_constants.h"

namespace lockstep::kernels_internal {

template <typename T>
constexpr void AdamStep(const AdamConstants<T>& constants, T gradient,
                        T& variable, T& momentum, T& velocity) {
  momentum += (gradient - momentum) * constants.one_minus_beta_1;
  velocity += (gradient * gradient - velocity) * constants.one_minus_beta_2;
  variable -=
      momentum * constants.alpha / (std::sqrt(velocity) + constants.epsilon);
}

template <typename T>
constexpr void SgdStep(const SgdConstants<T>& constants, T gradient,
                       T& variable) {
  variable -= gradient * constants.learning_rate;
}

template <typename T>
constexpr void MomentumStep(const SgdConstants<T>& constants, T gradient,
                            T& variable, T& velocity) {
  const T step = gradient * constants.learning_rate;
  velocity = velocity * constants.momentum - step;
  variable +=
      constants.nesterov ? velocity * constants.momentum - step : velocity;
}

// The next two compute in double and round what they store.
template <typename T>
constexpr void AdagradStep(double learning_rate, double epsilon, T gradient,
                           T& variable, T& accumulator) {
  accumulator += gradient * gradient;
  variable -= static_cast<T>(learning_rate * gradient /
                             std::sqrt(accumulator + epsilon));
}

template <typename T>
constexpr void RmsPropStep(double learning_rate, double rho, double epsilon,
                           T gradient, T& variable, T& velocity) {
  velocity = static_cast<T>(rho * velocity + (1 - rho) * gradient * gradient);
  variable -=
      static_cast<T>(learning_rate * gradient / std::sqrt(velocity + epsilon));
}

// Weight decay: the share `factor` of a variable is taken away.
template <typename T>
constexpr void DecayStep(double factor, T& variable) {
  variable -= static_cast<T>(variable * factor);
}

}  // namespace lockstep::kernels_internal

#endif  // LOCKSTEP_REFERENCE_KERNELS_OPTIMIZER_MATH_H_
