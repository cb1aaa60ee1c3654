// What Adam is set up with.
#ifndef LOCKSTEP_REFERENCE_KERNELS_ADAM_OPTIONS_H_
#define LOCKSTEP_REFERENCE_KERNELS_ADAM_OPTIONS_H_

namespace lockstep::kernels {

// In double, as Keras keeps them: 1 - beta is taken before rounding to the
// variables' type.
struct AdamOptions {
  double learning_rate = 0.001;  // a GpuStep has its own
  double beta_1 = 0.9;
  double beta_2 = 0.999;
  double epsilon = 1e-7;
};

}  // namespace lockstep::kernels

#endif  // LOCKSTEP_REFERENCE_KERNELS_ADAM_OPTIONS_H_
