// Formulas that the host's kernels and GPU kernels share: what optimizers do to
// one element, learning rates and the loss scale.
#ifndef LOCKSTEP_REFERENCE_KERNELS_OPTIMIZER_OPTIMIZER_MATH_H_
#define LOCKSTEP_REFERENCE_KERNELS_OPTIMIZER_OPTIMIZER_MATH_H_

#include <cmath>
#include <cstdint>

namespace lockstep::kernels {

// Adam's options, in double as in Keras: 1 - beta is computed before it is
// rounded to the variables' type.
struct AdamOptions {
  double beta_1 = 0.9;
  double beta_2 = 0.999;
  double epsilon = 1e-7;
};

// A learning rate: initial * decay_rate^(step / decay_steps). With `staircase`
// the quotient is rounded down.
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

namespace lockstep::kernels_internal {

// The constants of one step of Adam, rounded to the variables' type.
template <typename T>
struct AdamConstants {
  T alpha;
  T one_minus_beta_1;
  T one_minus_beta_2;
  T epsilon;
};

template <typename T>
struct SgdConstants {
  T learning_rate;
  T momentum;
  bool nesterov;
};

// beta^step, as Keras rounds it.
template <typename T>
constexpr T PowerOfBeta(double beta, int64_t step) {
  return static_cast<T>(std::pow(static_cast<double>(static_cast<T>(beta)),
                                 static_cast<double>(step)));
}

// Rounds where Keras does, which computes these in the variables' type.
template <typename T>
constexpr AdamConstants<T> MakeAdamConstants(
    const kernels::AdamOptions& options, double learning_rate, int64_t step) {
  const T one = 1;
  return {static_cast<T>(learning_rate) *
              std::sqrt(one - PowerOfBeta<T>(options.beta_2, step)) /
              (one - PowerOfBeta<T>(options.beta_1, step)),
          static_cast<T>(1 - options.beta_1),
          static_cast<T>(1 - options.beta_2), static_cast<T>(options.epsilon)};
}

// One element's step of each optimizer; optimizer_update.h has the formulas.
// Every operation rounds, as in Keras.
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

// What a step does to moving averages of variables. After the first step the
// average is the variable.
struct AveragePlan {
  constexpr AveragePlan(double momentum_of_others, int64_t overwrite_frequency,
                        int64_t steps)
      : momentum(steps == 1 ? 0 : momentum_of_others),
        overwrites(overwrite_frequency > 0 &&
                   steps % overwrite_frequency == 0) {}

  double momentum;
  bool overwrites;
};

template <typename T>
constexpr void AverageStep(const AveragePlan& plan, T& variable, T& average) {
  const T momentum = static_cast<T>(plan.momentum);
  average = momentum * average + (T{1} - momentum) * variable;
  if (plan.overwrites) variable = average;
}

// Weight decay: subtracts the share `factor` of a variable.
template <typename T>
constexpr void DecayStep(double factor, T& variable) {
  variable -= static_cast<T>(variable * factor);
}

// The state of dynamic loss scaling after a step; see loss_scale.h.
constexpr void UpdateLossScale(bool finite, int64_t growth_steps, float& scale,
                               int64_t& finite_steps) {
  finite_steps = finite ? finite_steps + 1 : 0;
  const bool grows = finite_steps >= growth_steps;
  if (grows) finite_steps = 0;
  const float next = finite ? (grows ? scale * 2 : scale) : scale / 2;
  // An infinite scale would make every later gradient infinite.
  if (std::isfinite(next)) scale = next;
}

}  // namespace lockstep::kernels_internal

#endif  // LOCKSTEP_REFERENCE_KERNELS_OPTIMIZER_OPTIMIZER_MATH_H_
