// The selection of a fused ReLU and max-pooling where ReLU cut everything: no
// element of the window was positive, no gradient passes.
#ifndef LOCKSTEP_REFERENCE_KERNELS_RELU_CUT_H_
#define LOCKSTEP_REFERENCE_KERNELS_RELU_CUT_H_

#include <cstdint>

namespace lockstep::kernels {

inline constexpr uint8_t kReluCut = 255;

}  // namespace lockstep::kernels

#endif  // LOCKSTEP_REFERENCE_KERNELS_RELU_CUT_H_
