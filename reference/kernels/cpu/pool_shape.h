// The sizes of a 2-D pooling but for the number of images.
#ifndef LOCKSTEP_REFERENCE_KERNELS_CPU_POOL_SHAPE_H_
#define LOCKSTEP_REFERENCE_KERNELS_CPU_POOL_SHAPE_H_

#include <array>
#include <cstdint>

#include "reference/kernels/padding.h"
#include "reference/tensor/shape.h"

namespace lockstep::kernels_internal {

struct PoolShape {
  int64_t height, width, channels;  // of an image
  kernels::Windows rows, columns;
  std::array<int64_t, 2> pool, strides;

  int64_t x_image() const { return height * width * channels; }
  int64_t y_image() const { return rows.count * columns.count * channels; }
  Shape OutputShape(int64_t images) const {
    return Shape{images, rows.count, columns.count, channels};
  }
};

}  // namespace lockstep::kernels_internal

#endif  // LOCKSTEP_REFERENCE_KERNELS_CPU_POOL_SHAPE_H_
