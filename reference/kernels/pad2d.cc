#include "reference/kernels/pad2d.h"

#include <algorithm>
#include <cstddef>

#include "reference/base/error.h"
#include "reference/base/thread_team.h"
#include "reference/kernels/check_tensor.h"
#include "reference/kernels/device_kernel.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::kernels {
namespace {

void CheckImages(const char* operation, const Tensor& x,
                 const Pad2DOptions& options) {
  if (x.dtype() == DType::kString) {
    throw InvalidArgument("[{}] images must be numeric, got {}", operation,
                          Describe(x));
  }
  kernels_internal::CheckRank(operation, "x", x, 4);
  if (std::min({options.top, options.bottom, options.left, options.right}) <
      0) {
    throw InvalidArgument(
        "[{}] padding must not be negative, got {}, {}, {}, {} (top, bottom, "
        "left, right)",
        operation, options.top, options.bottom, options.left, options.right);
  }
}

// Copies the inner images into the outer ones, or back; each row of an inner
// image is contiguous in both.
struct RowCopy {
  RowCopy(const Shape& inner, const Shape& outer, DType dtype,
          const Pad2DOptions& options)
      : rows(inner[1]),
        inner_row(Bytes(inner, dtype)),
        outer_row(Bytes(outer, dtype)),
        outer_image(outer[1] * outer_row),
        first(options.top * outer_row + options.left * inner[3] * Size(dtype)) {
  }

  static int64_t Size(DType dtype) {
    return static_cast<int64_t>(DTypeSize(dtype));
  }
  static int64_t Bytes(const Shape& images, DType dtype) {
    return images[2] * images[3] * Size(dtype);
  }

  // body(offset in inner, offset in outer) for each row of image n.
  template <class Body>
  void ForRows(int64_t n, const Body& body) const {
    for (int64_t row = 0; row < rows; ++row) {
      body((n * rows + row) * inner_row,
           n * outer_image + first + row * outer_row);
    }
  }

  int64_t rows, inner_row, outer_row, outer_image, first;
};

}  // namespace

Tensor Pad2D(const Tensor& x, const Pad2DOptions& options) {
  CheckImages("Pad2D", x, options);
  if (OnGpu("Pad2D", x)) return gpu::Pad2D(x, options);
  Tensor y =
      EmptyOnHost(Shape{x.dim(0), x.dim(1) + options.top + options.bottom,
                        x.dim(2) + options.left + options.right, x.dim(3)},
                  x.dtype());
  const RowCopy copy(x.shape(), y.shape(), x.dtype(), options);
  const auto* from = static_cast<const std::byte*>(x.raw_data());
  auto* to = static_cast<std::byte*>(y.mutable_raw_data());
  ParallelFor(x.dim(0), 1, [&](int64_t begin, int64_t end, int) {
    std::fill_n(to + begin * copy.outer_image, (end - begin) * copy.outer_image,
                std::byte{0});
    for (int64_t n = begin; n < end; ++n) {
      copy.ForRows(n, [&](int64_t inner, int64_t outer) {
        std::copy_n(from + inner, copy.inner_row, to + outer);
      });
    }
  });
  return y;
}

Tensor Pad2DBackward(const Tensor& dy, const Pad2DOptions& options) {
  CheckImages("Pad2DBackward", dy, options);
  const int64_t height = dy.dim(1) - options.top - options.bottom;
  const int64_t width = dy.dim(2) - options.left - options.right;
  if (height < 0 || width < 0) {
    throw InvalidArgument(
        "[Pad2DBackward] dy {} is smaller than its padding of {} x {}",
        ToString(dy.shape()), options.top + options.bottom,
        options.left + options.right);
  }
  if (OnGpu("Pad2DBackward", dy)) return gpu::Pad2DBackward(dy, options);
  Tensor dx =
      EmptyOnHost(Shape{dy.dim(0), height, width, dy.dim(3)}, dy.dtype());
  const RowCopy copy(dx.shape(), dy.shape(), dy.dtype(), options);
  const auto* from = static_cast<const std::byte*>(dy.raw_data());
  auto* to = static_cast<std::byte*>(dx.mutable_raw_data());
  ParallelFor(dy.dim(0), 1, [&](int64_t begin, int64_t end, int) {
    for (int64_t n = begin; n < end; ++n) {
      copy.ForRows(n, [&](int64_t inner, int64_t outer) {
        std::copy_n(from + outer, copy.inner_row, to + inner);
      });
    }
  });
  return dx;
}

}  // namespace lockstep::kernels
