#include "reference/kernels/conv2d.h"

#include "reference/kernels/check_tensor.h"
#include "reference/kernels/relu.h"

namespace lockstep::kernels {
namespace {

struct Geometry {
  int64_t n, h, w, i, p, q, o;
  Windows rows, columns;
  std::array<int64_t, 2> strides;
};

Geometry MakeGeometry(const Tensor& x, const Tensor& filter,
                      const Conv2DOptions& options) {
  kernels_internal::CheckDType("Conv2D", "x", x, DType::kFloat32);
  kernels_internal::CheckRank("Conv2D", "x", x, 4);
  kernels_internal::CheckDType("Conv2D", "filter", filter, DType::kFloat32);
  kernels_internal::CheckShape(
      "Conv2D", "filter", filter,
      Shape{kUnknownDim, kUnknownDim, x.dim(3), kUnknownDim});
  return {x.dim(0),
          x.dim(1),
          x.dim(2),
          x.dim(3),
          filter.dim(0),
          filter.dim(1),
          filter.dim(3),
          PlaceWindows("Conv2D", x.dim(1), filter.dim(0), options.strides[0],
                       options.padding),
          PlaceWindows("Conv2D", x.dim(2), filter.dim(1), options.strides[1],
                       options.padding),
          options.strides};
}

// Calls body(offset in x, offset in filter, offset in y) for every pair of an
// input and a filter element that meet, output channels excepted.
template <class Body>
void ForEachTap(const Geometry& g, const Body& body) {
  for (int64_t n = 0; n < g.n; ++n) {
    for (int64_t y = 0; y < g.rows.count * g.columns.count; ++y) {
      const int64_t out = (n * g.rows.count * g.columns.count + y) * g.o;
      for (int64_t tap = 0; tap < g.p * g.q; ++tap) {
        const int64_t h =
            y / g.columns.count * g.strides[0] - g.rows.before + tap / g.q;
        const int64_t w =
            y % g.columns.count * g.strides[1] - g.columns.before + tap % g.q;
        if (h < 0 || h >= g.h || w < 0 || w >= g.w) continue;
        for (int64_t i = 0; i < g.i; ++i) {
          body(((n * g.h + h) * g.w + w) * g.i + i, (tap * g.i + i) * g.o, out);
        }
      }
    }
  }
}

}  // namespace

Tensor Conv2D(const Tensor& x, const Tensor& filter, const Tensor& bias,
              const Conv2DOptions& options) {
  const Geometry g = MakeGeometry(x, filter, options);
  Tensor y = Tensor::Zeros(Shape{g.n, g.rows.count, g.columns.count, g.o});
  float* out = y.mutable_data<float>();
  if (bias.defined()) {
    kernels_internal::CheckDType("Conv2D", "bias", bias, DType::kFloat32);
    kernels_internal::CheckShape("Conv2D", "bias", bias, Shape{g.o});
    for (int64_t j = 0; j < y.num_elements(); ++j) {
      out[j] = bias.at<float>(j % g.o);
    }
  }
  ForEachTap(g, [&](int64_t in, int64_t f, int64_t to) {
    for (int64_t o = 0; o < g.o; ++o) {
      out[to + o] += x.at<float>(in) * filter.at<float>(f + o);
    }
  });
  return options.relu ? Relu(y) : y;
}

Conv2DGradients Conv2DBackward(const Tensor& x, const Tensor& filter,
                               const Tensor& y, const Tensor& dy,
                               const Conv2DOptions& options, bool need_x) {
  const Geometry g = MakeGeometry(x, filter, options);
  kernels_internal::CheckDType("Conv2DBackward", "dy", dy, DType::kFloat32);
  kernels_internal::CheckShape("Conv2DBackward", "dy", dy,
                               Shape{g.n, g.rows.count, g.columns.count, g.o});
  const Tensor masked = options.relu ? ReluBackward(y, dy) : dy;
  const float* from = masked.data<float>();
  Conv2DGradients gradients{need_x ? Tensor::Zeros(x.shape()) : Tensor(),
                            Tensor::Zeros(filter.shape()),
                            Tensor::Zeros(Shape{g.o})};
  float* dfilter = gradients.filter.mutable_data<float>();
  float* dbias = gradients.bias.mutable_data<float>();
  float* dx = need_x ? gradients.x.mutable_data<float>() : nullptr;
  for (int64_t j = 0; j < dy.num_elements(); ++j) dbias[j % g.o] += from[j];
  ForEachTap(g, [&](int64_t in, int64_t f, int64_t to) {
    for (int64_t o = 0; o < g.o; ++o) {
      dfilter[f + o] += x.at<float>(in) * from[to + o];
      if (need_x) dx[in] += from[to + o] * filter.at<float>(f + o);
    }
  });
  return gradients;
}

}  // namespace lockstep::kernels
