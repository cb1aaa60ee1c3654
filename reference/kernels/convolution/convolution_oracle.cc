#include "reference/kernels/convolution/convolution_oracle.h"

#include <array>
#include <functional>

#include "reference/tensor/host_tensor.h"

namespace lockstep::kernels::oracle {
namespace {

// The positions of a window's elements that are inside the image.
struct Grid {
  int64_t height, width;
  Windows rows, columns;
  std::array<int64_t, 2> window, strides;

  Grid(const Shape& x, std::array<int64_t, 2> window_sizes,
       std::array<int64_t, 2> stride_sizes, Padding padding)
      : height(x[1]),
        width(x[2]),
        rows(PlaceWindows("oracle", x[1], window_sizes[0], stride_sizes[0],
                          padding)),
        columns(PlaceWindows("oracle", x[2], window_sizes[1], stride_sizes[1],
                             padding)),
        window(window_sizes),
        strides(stride_sizes) {}

  // body(output position, window element, input position), positions within
  // an image, row-major.
  using Body = std::function<void(int64_t out, int64_t element, int64_t in)>;
  void ForEach(const Body& body) const {
    for (int64_t out = 0; out < rows.count * columns.count; ++out) {
      for (int64_t e = 0; e < window[0] * window[1]; ++e) {
        const int64_t row =
            out / columns.count * strides[0] - rows.before + e / window[1];
        const int64_t column =
            out % columns.count * strides[1] - columns.before + e % window[1];
        if (row < 0 || row >= height || column < 0 || column >= width) continue;
        body(out, e, row * width + column);
      }
    }
  }
};

// Calls body(offset in y, offset in filter, offset in x) for every product.
void ForEachProduct(
    const Tensor& x, const Tensor& filter, const Conv2DOptions& options,
    const std::function<void(int64_t, int64_t, int64_t)>& body) {
  const Grid grid(x.shape(), {filter.dim(0), filter.dim(1)}, options.strides,
                  options.padding);
  const int64_t inputs = filter.dim(2);
  const int64_t outputs = filter.dim(3);
  const int64_t positions = grid.rows.count * grid.columns.count;
  for (int64_t n = 0; n < x.dim(0); ++n) {
    grid.ForEach([&](int64_t out, int64_t e, int64_t in) {
      for (int64_t i = 0; i < inputs; ++i) {
        for (int64_t o = 0; o < outputs; ++o) {
          body((n * positions + out) * outputs + o,
               (e * inputs + i) * outputs + o,
               (n * grid.height * grid.width + in) * inputs + i);
        }
      }
    });
  }
}

Shape OutputShape(const Shape& x, const Grid& grid, int64_t channels) {
  return Shape{x[0], grid.rows.count, grid.columns.count, channels};
}

}  // namespace

Tensor Conv2D(const Tensor& x, const Tensor& filter, const Tensor& bias,
              const Conv2DOptions& options) {
  const Grid grid(x.shape(), {filter.dim(0), filter.dim(1)}, options.strides,
                  options.padding);
  const int64_t outputs = filter.dim(3);
  Tensor y =
      ZerosOnHost(OutputShape(x.shape(), grid, outputs), DType::kFloat64);
  double* sums = y.mutable_data<double>();
  ForEachProduct(x, filter, options, [&](int64_t to, int64_t f, int64_t from) {
    sums[to] += static_cast<double>(x.at<float>(from)) * filter.at<float>(f);
  });
  for (int64_t i = 0; i < y.num_elements(); ++i) {
    if (bias.defined()) sums[i] += bias.at<float>(i % outputs);
    if (options.relu && sums[i] < 0) sums[i] = 0;
  }
  return y;
}

Conv2DGradients Conv2DBackward(const Tensor& x, const Tensor& filter,
                               const Tensor& y, const Tensor& dy,
                               const Conv2DOptions& options) {
  const int64_t outputs = filter.dim(3);
  Conv2DGradients gradients{ZerosOnHost(x.shape(), DType::kFloat64),
                            ZerosOnHost(filter.shape(), DType::kFloat64),
                            ZerosOnHost(Shape{outputs}, DType::kFloat64)};
  const auto gradient = [&](int64_t i) {
    const bool cut = options.relu && y.at<double>(i) <= 0;
    return cut ? 0.0 : static_cast<double>(dy.at<float>(i));
  };
  for (int64_t i = 0; i < dy.num_elements(); ++i) {
    gradients.bias.mutable_data<double>()[i % outputs] += gradient(i);
  }
  ForEachProduct(x, filter, options, [&](int64_t to, int64_t f, int64_t from) {
    gradients.x.mutable_data<double>()[from] +=
        gradient(to) * filter.at<float>(f);
    gradients.filter.mutable_data<double>()[f] +=
        gradient(to) * x.at<float>(from);
  });
  return gradients;
}

Pooled MaxPool2D(const Tensor& x, const MaxPool2DOptions& options) {
  const Grid grid(x.shape(), options.pool, options.strides, options.padding);
  const int64_t channels = x.dim(3);
  const Shape shape = OutputShape(x.shape(), grid, channels);
  Pooled pooled{EmptyOnHost(shape, DType::kFloat64),
                Tensor::Full<int64_t>(shape, -1, CurrentHost())};
  double* y = pooled.y.mutable_data<double>();
  int64_t* argmax = pooled.argmax.mutable_data<int64_t>();
  const int64_t positions = grid.rows.count * grid.columns.count;
  for (int64_t n = 0; n < x.dim(0); ++n) {
    grid.ForEach([&](int64_t out, int64_t e, int64_t in) {
      for (int64_t c = 0; c < channels; ++c) {
        const int64_t to = (n * positions + out) * channels + c;
        const double value =
            x.at<double>((n * grid.height * grid.width + in) * channels + c);
        if (argmax[to] < 0 || value > y[to]) {
          y[to] = value;
          argmax[to] = e;
        }
      }
    });
  }
  return pooled;
}

Tensor MaxPool2DBackward(const Shape& x_shape, const Tensor& argmax,
                         const Tensor& dy, const MaxPool2DOptions& options) {
  const Grid grid(x_shape, options.pool, options.strides, options.padding);
  const int64_t channels = x_shape[3];
  Tensor dx = ZerosOnHost(x_shape, DType::kFloat64);
  const int64_t positions = grid.rows.count * grid.columns.count;
  for (int64_t n = 0; n < x_shape[0]; ++n) {
    grid.ForEach([&](int64_t out, int64_t e, int64_t in) {
      for (int64_t c = 0; c < channels; ++c) {
        const int64_t from = (n * positions + out) * channels + c;
        if (argmax.at<int64_t>(from) != e) continue;
        dx.mutable_data<
            double>()[(n * grid.height * grid.width + in) * channels + c] +=
            dy.at<float>(from);
      }
    });
  }
  return dx;
}

}  // namespace lockstep::kernels::oracle
