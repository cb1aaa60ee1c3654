// How a dynamic loss scale follows its steps, on the host as on a GPU.
#ifndef LOCKSTEP_REFERENCE_KERNELS_LOSS_SCALE_MATH_H_
#define LOCKSTEP_REFERENCE_KERNELS_LOSS_SCALE_MATH_H_

#include <cmath>
#include <cstdint>

namespace lockstep::kernels_internal {

constexpr void FollowStep(bool finite, int64_t growth_steps, float& scale,
                          int64_t& finite_steps) {
  finite_steps = finite ? finite_steps + 1 : 0;
  const bool grows = finite_steps >= growth_steps;
  if (grows) finite_steps = 0;
  const float next = finite ? (grows ? scale * 2 : scale) : scale / 2;
  // An infinite scale would make every later gradient infinite.
  if (std::isfinite(next)) scale = next;
}

}  // namespace lockstep::kernels_internal

#endif  // LOCKSTEP_REFERENCE_KERNELS_LOSS_SCALE_MATH_H_
