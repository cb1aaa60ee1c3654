// Winograd's convolution F(2x2, 3x3) with the 2 x 2 pooling windows as tiles.
//
// A tile is one pooling window: 2 x 2 outputs of a 3 x 3 convolution, which
// depend on 4 x 4 inputs. 16 multiplications per pair of channels replace the
// 36 of the direct sum (Lavin and Gray, "Fast Algorithms for Convolutional
// Neural Networks", 2015):
//
//   pooled = max(A' [(G g G') * (B' d B)] A + bias)
//
// The products over channels are 16 matrix products, one per position of the
// transformed tile. The transforms add, subtract and halve only: on small
// integers everything is exact. Backward is the transpose of each of them.
//
// Arrays of transformed values have 16 planes [position][row][channel]; rows
// are tiles or channels.
#ifndef LOCKSTEP_REFERENCE_KERNELS_CONVOLUTION_CPU_WINOGRAD_H_
#define LOCKSTEP_REFERENCE_KERNELS_CONVOLUTION_CPU_WINOGRAD_H_

#include <cstdint>

#include "reference/tensor/tensor.h"

namespace lockstep::kernels_internal {

inline constexpr int64_t kWinogradPositions = 16;

// Channels rounded up to whole vectors of every instruction set.
constexpr int64_t PadChannels(int64_t channels) {
  return (channels + 15) / 16 * 16;
}

// The layout of a transformed array. A plane is slightly longer than its rows,
// so that the 16 planes do not compete for the same cache lines.
struct WinogradPlanes {
  float* data;
  int64_t rows;
  int64_t channels;  // padded

  int64_t plane() const { return rows * channels + 16; }
  int64_t size() const { return kWinogradPositions * plane(); }
};

// The positions of the tiles. Tile t is window (t / columns % rows, t %
// columns) of image t / (rows * columns).
struct WinogradTiles {
  int64_t height, width;                // of the images
  int64_t inputs, outputs;              // channels
  int64_t rows, columns;                // pooling windows of an image
  int64_t before_rows, before_columns;  // zero padding in front of the image

  int64_t per_image() const { return rows * columns; }
};

// Transforms `filter` [3, 3, rows, channels] to planes [rows,
// PadChannels(channels)].
void WinogradTransformFilter(const float* filter, int64_t channels,
                             WinogradPlanes out);

// The transpose: from planes to the gradient of the filter.
void WinogradFilterGradient(const WinogradPlanes& planes, int64_t channels,
                            float* dfilter);

// Transforms tiles first .. first + count - 1 of the images `x` to `out`.
// `patch` has room for 4 x 4 x inputs floats.
void WinogradTransformInput(const WinogradTiles& tiles, const float* x,
                            int64_t first, int64_t count, WinogradPlanes out,
                            float* patch);

// Adds the gradients of the inputs of the same tiles to `dx`.
void WinogradInputGradient(const WinogradTiles& tiles,
                           const WinogradPlanes& planes, int64_t first,
                           int64_t count, float* dx, float* patch);

// Pools the tiles' outputs, with bias (nullptr: none) and ReLU, into y and
// selection [tile, outputs] from row `first` on.
void WinogradPoolOutput(const WinogradPlanes& planes, const float* bias,
                        int64_t outputs, int64_t first, int64_t count, float* y,
                        uint8_t* selection);

// The transpose, for dy; adds to the bias gradient `dbias`.
void WinogradExpandGradient(const float* dy, const uint8_t* selection,
                            int64_t outputs, int64_t first, int64_t count,
                            WinogradPlanes out, float* dbias);

// c[position] = a[position] * b[position] for `rows` rows. a [rows, k], b [k,
// channels].
void WinogradMultiply(const WinogradPlanes& a, const WinogradPlanes& b,
                      int64_t rows, int64_t k, WinogradPlanes c);

// c[position] += a[position]' * b[position].
// a [tiles, rows], b [tiles, channels], c [rows, channels].
void WinogradMultiplyTransposed(const WinogradPlanes& a,
                                const WinogradPlanes& b, int64_t tiles,
                                int64_t rows, WinogradPlanes c);

// The fused Conv2D + ReLU + MaxPool2D by this algorithm: 3 x 3 filters with
// stride 1, windows of 2 x 2 with stride 2.
//
// Computes y and selection [images, rows, columns, outputs] from x; bias may be
// undefined.
void WinogradConvPool(const WinogradTiles& tiles, const Tensor& x,
                      const Tensor& filter, const Tensor& bias, Tensor& y,
                      Tensor& selection);

// Writes the gradients; skips dx if it is undefined.
void WinogradConvPoolBackward(const WinogradTiles& tiles, const Tensor& x,
                              const Tensor& filter, const Tensor& selection,
                              const Tensor& dy, Tensor& dx, Tensor& dfilter,
                              Tensor& dbias);

}  // namespace lockstep::kernels_internal

#endif  // LOCKSTEP_REFERENCE_KERNELS_CONVOLUTION_CPU_WINOGRAD_H_
