// Weights of rows, element by element, on the host as on a GPU.
#ifndef LOCKSTEP_REFERENCE_KERNELS_ELEMENT_WEIGHTS_H_
#define LOCKSTEP_REFERENCE_KERNELS_ELEMENT_WEIGHTS_H_

#include <cstdint>

namespace lockstep::kernels_internal {

// Element i weighs weights[i / elements_each], or 1 for nullptr.
struct ElementWeights {
  const float* weights;
  int64_t elements_each;

  constexpr double At(int64_t i) const {
    return weights == nullptr ? 1.0 : weights[i / elements_each];
  }
};

}  // namespace lockstep::kernels_internal

#endif  // LOCKSTEP_REFERENCE_KERNELS_ELEMENT_WEIGHTS_H_
