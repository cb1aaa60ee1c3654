#include "reference/preprocessing/random/resampling.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "reference/autodiff/gradient_tape.h"
#include "reference/autodiff/ops/array_ops.h"
#include "reference/base/threads.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::preprocessing_internal {
namespace {

// The place inside an axis of `length` pixels that has the value of a place
// that may be outside; itself for kConstant.
double Inside(double place, int64_t length, FillMode fill_mode) {
  const double last = static_cast<double>(length) - 1;
  const double period = static_cast<double>(length);
  const bool is_inside = place >= 0 && place <= last;
  if (is_inside || fill_mode == FillMode::kConstant) return place;
  if (last == 0) return 0;
  if (fill_mode == FillMode::kReflect) {
    place -= 2 * period * std::floor(place / (2 * period));
    if (place >= period) place = 2 * period - 1 - place;
  } else if (fill_mode == FillMode::kWrap) {
    place += place < 0 ? period * (std::floor(-place / last) + 1)
                       : -period * std::floor(place / last);
  }
  return std::clamp(place, 0.0, last);
}

int64_t PixelAt(ImageSize size, double row, double column) {
  const auto is_in = [](double place, int64_t length) {
    return place >= 0 && place < static_cast<double>(length);
  };
  if (!is_in(row, size.rows) || !is_in(column, size.columns)) return kOutside;
  return static_cast<int64_t>(row) * size.columns +
         static_cast<int64_t>(column);
}

std::array<Tap, 4> Bilinear(ImageSize size, double row, double column) {
  const double top = std::floor(row), left = std::floor(column);
  const double down = row - top, right = column - left;
  return {{{PixelAt(size, top, left), (1 - down) * (1 - right)},
           {PixelAt(size, top, left + 1), (1 - down) * right},
           {PixelAt(size, top + 1, left), down * (1 - right)},
           {PixelAt(size, top + 1, left + 1), down * right}}};
}

}  // namespace

Resampling Rotate(ImageSize size, double radians, Interpolation interpolation,
                  FillMode fill_mode) {
  const double cosine = std::cos(radians), sine = std::sin(radians);
  const double middle_row = (static_cast<double>(size.rows) - 1) / 2;
  const double middle_column = (static_cast<double>(size.columns) - 1) / 2;
  Resampling result{size, {}};
  result.pixels.reserve(static_cast<size_t>(size.rows * size.columns));
  for (int64_t r = 0; r < size.rows; ++r) {
    for (int64_t c = 0; c < size.columns; ++c) {
      const double y = static_cast<double>(r) - middle_row;
      const double x = static_cast<double>(c) - middle_column;
      const double row =
          Inside(middle_row + sine * x + cosine * y, size.rows, fill_mode);
      const double column = Inside(middle_column + cosine * x - sine * y,
                                   size.columns, fill_mode);
      if (interpolation == Interpolation::kBilinear) {
        result.pixels.push_back(Bilinear(size, row, column));
      } else {
        result.pixels.push_back(
            {{{PixelAt(size, std::round(row), std::round(column)), 1}}});
      }
    }
  }
  return result;
}

Resampling ResizeTo(ImageSize from, ImageSize to) {
  // Places are those of the centres of pixels.
  const auto place = [](int64_t i, int64_t length, int64_t new_length) {
    const double scale =
        static_cast<double>(length) / static_cast<double>(new_length);
    return Inside((static_cast<double>(i) + 0.5) * scale - 0.5, length,
                  FillMode::kNearest);
  };
  Resampling result{to, {}};
  for (int64_t r = 0; r < to.rows; ++r) {
    for (int64_t c = 0; c < to.columns; ++c) {
      result.pixels.push_back(Bilinear(from, place(r, from.rows, to.rows),
                                       place(c, from.columns, to.columns)));
    }
  }
  return result;
}

namespace {

using ResamplingOf = std::function<Resampling(int64_t)>;

// Calls body(pixel of the result, tap) for each tap that counts.
template <typename Body>
void ForTaps(const Resampling& resampling, const Body& body) {
  for (size_t i = 0; i < resampling.pixels.size(); ++i) {
    for (const Tap& tap : resampling.pixels[i]) {
      if (tap.weight != 0) body(static_cast<int64_t>(i), tap);
    }
  }
}

template <typename T>
void AddTaps(const Resampling& resampling, const T* x, int64_t channels, T fill,
             T* y) {
  ForTaps(resampling, [&](int64_t pixel, const Tap& tap) {
    const auto weight = static_cast<T>(tap.weight);
    const T* from = x + tap.pixel * channels;
    for (int64_t c = 0; c < channels; ++c) {
      y[pixel * channels + c] +=
          weight * (tap.pixel == kOutside ? fill : from[c]);
    }
  });
}

template <typename T>
void AddTapsBack(const Resampling& resampling, const T* dy, int64_t channels,
                 T* dx) {
  ForTaps(resampling, [&](int64_t pixel, const Tap& tap) {
    if (tap.pixel == kOutside) return;
    const auto weight = static_cast<T>(tap.weight);
    for (int64_t c = 0; c < channels; ++c) {
      dx[tap.pixel * channels + c] += weight * dy[pixel * channels + c];
    }
  });
}

// Calls body(resampling, image of `from`, image of `to`) for each image.
template <typename T, typename Body>
void ForImages(const Tensor& from, const ResamplingOf& resampling, Tensor& to,
               const Body& body) {
  if (from.dim(0) == 0) return;
  const int64_t from_size = from.num_elements() / from.dim(0);
  const int64_t to_size = to.num_elements() / to.dim(0);
  const T* source = from.data<T>();
  T* target = to.mutable_data<T>();
  ParallelFor(from.dim(0), 1, [&](int64_t begin, int64_t end, int) {
    for (int64_t n = begin; n < end; ++n) {
      body(resampling(n), source + n * from_size, target + n * to_size);
    }
  });
}

template <typename T>
Tensor ResampleAs(const Tensor& x, const ResamplingOf& resampling,
                  double fill) {
  const ImageSize size = resampling(0).size;
  const int64_t channels = x.dim(3);
  Tensor y = ZerosOnHost(Shape{x.dim(0), size.rows, size.columns, channels},
                         x.dtype());
  ForImages<T>(x, resampling, y,
               [&](const Resampling& taps, const T* from, T* to) {
                 AddTaps(taps, from, channels, static_cast<T>(fill), to);
               });
  RecordOperation(
      {x}, y,
      [resampling, shape = x.shape()](const Tensor& dy, std::span<const bool>) {
        Tensor dx = ZerosOnHost(shape, dy.dtype());
        ForImages<T>(dy, resampling, dx,
                     [&](const Resampling& taps, const T* from, T* to) {
                       AddTapsBack(taps, from, shape[3], to);
                     });
        return Gradients{dx};
      });
  return y;
}

}  // namespace

Tensor Resample(const Tensor& x, const ResamplingOf& resampling, double fill) {
  if (x.dtype() == DType::kFloat64) {
    return ResampleAs<double>(x, resampling, fill);
  }
  const Tensor wide = ops::Cast(x, DType::kFloat32);
  return ops::Cast(ResampleAs<float>(wide, resampling, fill), x.dtype());
}

}  // namespace lockstep::preprocessing_internal
