// The constants of one step of Adam, as Keras rounds them, on the host as on a
// GPU.
#ifndef LOCKSTEP_REFERENCE_KERNELS_ADAM_CONSTANTS_H_
#define LOCKSTEP_REFERENCE_KERNELS_ADAM_CONSTANTS_H_

#include <cmath>
#include <cstdint>

#include "reference/kernels/adam_options.h"
#include "reference/kernels/optimizer_constants.h"

namespace lockstep::kernels_internal {

template <typename T>
constexpr T PowerOfBeta(double beta, int64_t step) {
  return static_cast<T>(std::pow(static_cast<double>(static_cast<T>(beta)),
                                 static_cast<double>(step)));
}

// Rounds wherever Keras does, which computes these in the variables' type.
template <typename T>
constexpr AdamConstants<T> MakeAdamConstants(
    const kernels::AdamOptions& options, int64_t step) {
  const T one = 1;
  const T learning_rate = static_cast<T>(options.learning_rate);
  return {learning_rate *
              std::sqrt(one - PowerOfBeta<T>(options.beta_2, step)) /
              (one - PowerOfBeta<T>(options.beta_1, step)),
          static_cast<T>(1 - options.beta_1),
          static_cast<T>(1 - options.beta_2), static_cast<T>(options.epsilon)};
}

}  // namespace lockstep::kernels_internal

#endif  // LOCKSTEP_REFERENCE_KERNELS_ADAM_CONSTANTS_H_
