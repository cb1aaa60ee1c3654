// What one step of an optimizer is computed with, rounded to the variables'
// type.
#ifndef LOCKSTEP_REFERENCE_KERNELS_OPTIMIZER_CONSTANTS_H_
#define LOCKSTEP_REFERENCE_KERNELS_OPTIMIZER_CONSTANTS_H_

namespace lockstep::kernels_internal {

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

}  // namespace lockstep::kernels_internal

#endif  // LOCKSTEP_REFERENCE_KERNELS_OPTIMIZER_CONSTANTS_H_
