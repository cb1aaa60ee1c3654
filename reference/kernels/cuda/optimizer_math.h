// One element's step of an optimizer, on the host as on a GPU; sgd_update.h and
// adam_update.h have the formulas. Every operation rounds, as Keras' does.
#ifndef LOCKSTEP_REFERENCE_KERNELS_CUDA_OPTIMIZER_MATH_H_
#define LOCKSTEP_REFERENCE_KERNELS_CUDA_OPTIMIZER_MATH_H_

#include <cmath>

#include "reference/kernels/optimizer_constants.h"

namespace lockstep::cuda {

using kernels_internal::AdamConstants;
using kernels_internal::SgdConstants;

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

}  // namespace lockstep::cuda

#endif  // LOCKSTEP_REFERENCE_KERNELS_CUDA_OPTIMIZER_MATH_H_
