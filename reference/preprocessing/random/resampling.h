// Images made of the pixels of others: rotations and changes of size.
//
//   const Resampling half = ResizeTo({4, 4}, {2, 2});
//   Resample(images, [&](int64_t) { return half; });   // [N, 4, 4, C]
//                                                      // -> [N, 2, 2, C]
#ifndef LOCKSTEP_REFERENCE_PREPROCESSING_RANDOM_RESAMPLING_H_
#define LOCKSTEP_REFERENCE_PREPROCESSING_RANDOM_RESAMPLING_H_

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "reference/tensor/tensor.h"

namespace lockstep {

// What is outside of an image abcd.
enum class FillMode {
  kConstant,  // kkkk|abcd|kkkk
  kReflect,   // dcba|abcd|dcba
  kWrap,      // abcd|abcd|abcd
  kNearest,   // aaaa|abcd|dddd
};

enum class Interpolation { kNearest, kBilinear };

}  // namespace lockstep

namespace lockstep::preprocessing_internal {

struct ImageSize {
  int64_t rows;
  int64_t columns;
};

// Pixels are numbered in row-major order.
inline constexpr int64_t kOutside = -1;

struct Tap {
  int64_t pixel = kOutside;
  double weight = 0;
};

// Each pixel of the result is a weighted sum of up to four of the image.
struct Resampling {
  ImageSize size;  // of the result
  std::vector<std::array<Tap, 4>> pixels;
};

// Rotates around the centre, counter-clockwise by radians, as TensorFlow's
// ImageProjectiveTransform does. kWrap is also that of TensorFlow: a place past
// the centre of the last pixel is on the first one.
Resampling Rotate(ImageSize size, double radians, Interpolation interpolation,
                  FillMode fill_mode);

// Bilinear, as tf.image.resize.
Resampling ResizeTo(ImageSize from, ImageSize to);

// Applies resampling(n) to image n of x [N, H, W, C]. All have the same size,
// also for an empty batch, for which resampling(0) is called. Pixels outside
// have the value `fill`. Differentiable; the backward pass calls `resampling`
// again. REQUIRES: floating numbers on the host; `resampling` can be called by
// several threads.
Tensor Resample(const Tensor& x,
                const std::function<Resampling(int64_t)>& resampling,
                double fill = 0);

}  // namespace lockstep::preprocessing_internal

#endif  // LOCKSTEP_REFERENCE_PREPROCESSING_RANDOM_RESAMPLING_H_
