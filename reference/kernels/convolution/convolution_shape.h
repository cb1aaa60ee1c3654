// A convolution's type and sizes, except the number of images.
#ifndef LOCKSTEP_REFERENCE_KERNELS_CONVOLUTION_CONVOLUTION_SHAPE_H_
#define LOCKSTEP_REFERENCE_KERNELS_CONVOLUTION_CONVOLUTION_SHAPE_H_

#include <array>
#include <compare>
#include <cstdint>
#include <string_view>

#include "reference/kernels/windows.h"
#include "reference/tensor/tensor.h"

namespace lockstep::kernels_internal {

struct ConvolutionShape {
  int64_t height, width, inputs;  // of an image
  int64_t filter_rows, filter_columns, outputs;
  std::array<int64_t, 2> strides;
  kernels::Windows rows, columns;
  DType dtype = DType::kFloat32;  // of x, filter and dy

  int64_t x_image() const { return height * width * inputs; }
  int64_t y_image() const { return rows.count * columns.count * outputs; }
  int64_t filter_size() const {
    return filter_rows * filter_columns * inputs * outputs;
  }
  Shape OutputShape(int64_t images) const {
    return Shape{images, rows.count, columns.count, outputs};
  }

  auto operator<=>(const ConvolutionShape&) const = default;
};

// `bias` may be undefined. Errors: InvalidArgument, naming `operation`, unless
// all are float32 or all bfloat16, and for ranks and sizes that do not match or
// are 0 (except N).
ConvolutionShape MakeConvolutionShape(std::string_view operation,
                                      const Tensor& x, const Tensor& filter,
                                      const Tensor& bias,
                                      const std::array<int64_t, 2>& strides,
                                      kernels::Padding padding);

}  // namespace lockstep::kernels_internal

#endif  // LOCKSTEP_REFERENCE_KERNELS_CONVOLUTION_CONVOLUTION_SHAPE_H_
