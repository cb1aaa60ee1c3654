// Where the windows of a 2-D pooling lie.
#ifndef LOCKSTEP_REFERENCE_KERNELS_POOL2D_OPTIONS_H_
#define LOCKSTEP_REFERENCE_KERNELS_POOL2D_OPTIONS_H_

#include <array>
#include <cstdint>

#include "reference/kernels/padding.h"

namespace lockstep::kernels {

struct Pool2DOptions {
  std::array<int64_t, 2> pool{2, 2};     // rows, columns
  std::array<int64_t, 2> strides{2, 2};  // rows, columns
  Padding padding = Padding::kValid;
};

}  // namespace lockstep::kernels

#endif  // LOCKSTEP_REFERENCE_KERNELS_POOL2D_OPTIONS_H_
