// The positions of the windows of a convolution or pooling, along one dimension
// and in an image.
//
//   PlaceWindows("Conv2D", 28, 3, 1, Padding::kValid);  // {26, 0, 0}
//   PlaceWindows("Conv2D", 28, 3, 1, Padding::kSame);   // {28, 1, 1}
//   PlaceWindows("Conv2D", 5, 2, 2, Padding::kSame);    // {3, 0, 1}
#ifndef LOCKSTEP_REFERENCE_KERNELS_WINDOWS_H_
#define LOCKSTEP_REFERENCE_KERNELS_WINDOWS_H_

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <string_view>

#include "reference/tensor/shape.h"

namespace lockstep::kernels {

enum class Padding {
  kValid,  // only windows that are entirely inside
  kSame,   // ceil(input / stride) windows; an odd pad goes to the end
};

struct Windows {
  int64_t count;   // outputs along the dimension
  int64_t before;  // padding before the first element
  int64_t after;   // padding after the last one; windows may need less

  auto operator<=>(const Windows&) const = default;
};

// Errors: InvalidArgument, naming `operation`, for a window or stride below 1
// and for a valid window larger than the input.
Windows PlaceWindows(std::string_view operation, int64_t input, int64_t window,
                     int64_t stride, Padding padding);

// The windows of a 2-D pooling.
struct Pool2DOptions {
  std::array<int64_t, 2> pool{2, 2};     // rows, columns
  std::array<int64_t, 2> strides{2, 2};  // rows, columns
  Padding padding = Padding::kValid;
};

// The selection of a fused ReLU and max-pooling for windows without positive
// elements: no gradient passes.
inline constexpr uint8_t kReluCut = 255;

}  // namespace lockstep::kernels

namespace lockstep::kernels_internal {

// A window, and its part inside the image.
struct Window {
  int64_t row, column;               // of the window's first element
  int64_t top, bottom, left, right;  // inside: [top, bottom) x [left, right)
};

// The sizes of a 2-D pooling, except the number of images.
struct PoolShape {
  int64_t height, width, channels;  // of an image
  kernels::Windows rows, columns;
  std::array<int64_t, 2> pool, strides;

  auto operator<=>(const PoolShape&) const = default;

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
  bool IsWhole(const Window& w) const {
    return w.top == 0 && w.left == 0 && w.bottom == pool[0] &&
           w.right == pool[1];
  }
};

// For images x [N, H, W, C]. Errors: InvalidArgument, naming `operation`, for
// another rank, or a window that does not fit.
PoolShape MakePoolShape(const char* operation, const Shape& x,
                        const kernels::Pool2DOptions& options);

}  // namespace lockstep::kernels_internal

#endif  // LOCKSTEP_REFERENCE_KERNELS_WINDOWS_H_
