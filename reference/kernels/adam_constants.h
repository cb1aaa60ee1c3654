// The constants of one step of Adam, as Keras rounds them.
#ifndef LOCKSTEP_REFERENCE_KERNELS_ADAM_CONSTANTS_H_
#define LOCKSTEP_REFERENCE_KERNELS_ADAM_CONSTANTS_H_

#include <cmath>
#include <cstdint>

#include "reference/kernels/adam_update.h"
#include "reference/kernels/optimizer_constants.h"

namespace lockstep::kernels_internal {

// Rounds wherever Keras does, which computes these in the variables' type.
template <typename T>
AdamConstants<T> MakeAdamConstants(const kernels::AdamOptions& options,
                                   int64_t step) {
  const auto power = [step](double beta) {
    return static_cast<T>(std::pow(static_cast<double>(static_cast<T>(beta)),
                                   static_cast<double>(step)));
  };
  const T one = 1;
  const T learning_rate = static_cast<T>(options.learning_rate);
  return {learning_rate * std::sqrt(one - power(options.beta_2)) /
              (one - power(options.beta_1)),
          static_cast<T>(1 - options.beta_1),
          static_cast<T>(1 - options.beta_2), static_cast<T>(options.epsilon)};
}

}  // namespace lockstep::kernels_internal

#endif  // LOCKSTEP_REFERENCE_KERNELS_ADAM_CONSTANTS_H_
