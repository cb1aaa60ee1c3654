// The fused Conv2D + ReLU + MaxPool2D for outputs of few inputs.
//
// Each output of a first layer is a sum over 9 or 27 inputs, too few for a
// matrix product. So a window's four outputs are summed directly in registers
// and pooled there. Windows are 2 x 2 with stride 2; outputs come in whole
// vectors.
#ifndef LOCKSTEP_REFERENCE_KERNELS_CONVOLUTION_CPU_SHALLOW_H_
#define LOCKSTEP_REFERENCE_KERNELS_CONVOLUTION_CPU_SHALLOW_H_

#include <array>
#include <cstdint>

#include "reference/kernels/convolution/convolution_shape.h"
#include "reference/kernels/windows.h"
#include "reference/tensor/tensor.h"

namespace lockstep::kernels_internal {

// The limit of filter elements per output; a first layer has 3 x 3 x 1 = 9.
inline constexpr int64_t kMostTaps = 64;

struct ShallowShape {
  // REQUIRES: ShallowFits.
  ShallowShape(const ConvolutionShape& convolution, const PoolShape& pool);

  int64_t height, width, inputs, outputs;  // of an image
  int64_t rows, columns;                   // windows
  int64_t before_rows, before_columns;     // zero padding in front
  int64_t padded_height, padded_row;       // row: padded width * inputs
  int64_t next_row, next_column;  // from an output's inputs to the next one's
  int64_t taps;
  std::array<int64_t, kMostTaps> tap;  // offsets in the padded image

  // The size of a padded image in floats, with room to read one vector past its
  // end.
  int64_t image_size() const {
    return padded_height * padded_row + next_column + 64;
  }
  // The size of the same image as quads, in floats.
  int64_t quads_size() const { return 4 * image_size(); }
};

bool ShallowFits(const ConvolutionShape& convolution, const PoolShape& pool);

// Copies one image with zeros around it.
void ShallowPad(const ShallowShape& shape, const float* x, float* padded);

// Convolves and pools one padded image into y and selection [rows, columns,
// outputs]. `bias` may be nullptr.
void ShallowForward(const ShallowShape& shape, const float* padded,
                    const float* filter, const float* bias, float* y,
                    uint8_t* selection);

// For each element of a padded image, the four elements that a window's outputs
// read for the same tap: itself, and those next_column, next_row and both
// further.
void ShallowQuads(const ShallowShape& shape, const float* padded, float* quads);

// Adds one image's part to dfilter [taps, outputs] and dbias.
void ShallowBackward(const ShallowShape& shape, const float* quads,
                     const float* dy, const uint8_t* selection, float* dfilter,
                     float* dbias);

// The same over a batch, split over the thread team.
//
// Computes y and selection from x; bias may be undefined.
void ShallowConvPool(const ShallowShape& shape, const Tensor& x,
                     const Tensor& filter, const Tensor& bias, Tensor& y,
                     Tensor& selection);

// Writes the gradients of the filter and the bias.
void ShallowConvPoolBackward(const ShallowShape& shape, const Tensor& x,
                             const Tensor& selection, const Tensor& dy,
                             Tensor& dfilter, Tensor& dbias);

}  // namespace lockstep::kernels_internal

#endif  // LOCKSTEP_REFERENCE_KERNELS_CONVOLUTION_CPU_SHALLOW_H_
