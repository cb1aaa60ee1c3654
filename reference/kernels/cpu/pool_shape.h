// The sizes of a 2-D pooling but for the number of images.
#ifndef LOCKSTEP_REFERENCE_KERNELS_CPU_POOL_SHAPE_H_
#define LOCKSTEP_REFERENCE_KERNELS_CPU_POOL_SHAPE_H_

#include <algorithm>
#include <array>
#include <cstdint>

#include "reference/kernels/padding.h"
#include "reference/kernels/pool2d_options.h"
#include "reference/tensor/shape.h"

namespace lockstep::kernels_internal {

// The part of a window that lies in the image.
struct Window {
  int64_t row, column;               // of the window's first element
  int64_t top, bottom, left, right;  // inside: [top, bottom) x [left, right)
};

struct PoolShape {
  int64_t height, width, channels;  // of an image
  kernels::Windows rows, columns;
  std::array<int64_t, 2> pool, strides;

  int64_t x_image() const { return height * width * channels; }
  int64_t y_image() const { return rows.count * columns.count * channels; }
  Shape OutputShape(int64_t images) const {
    return Shape{images, rows.count, columns.count, channels};
  }
  // The window of an output.
  Window WindowAt(int64_t row, int64_t column) const {
    Window w;
    w.row = row * strides[0] - rows.before;
    w.column = column * strides[1] - columns.before;
    w.top = std::max<int64_t>(-w.row, 0);
    w.left = std::max<int64_t>(-w.column, 0);
    w.bottom = std::min(height - w.row, pool[0]);
    w.right = std::min(width - w.column, pool[1]);
    return w;
  }
};

// Of images x [N, H, W, C]. Errors: InvalidArgument, naming `operation`, for
// another rank, or a window that does not fit.
PoolShape MakePoolShape(const char* operation, const Shape& x,
                        const kernels::Pool2DOptions& options);

}  // namespace lockstep::kernels_internal

#endif  // LOCKSTEP_REFERENCE_KERNELS_CPU_POOL_SHAPE_H_
