#include "reference/kernels/max_pool2d.h"

#include <algorithm>

#include "reference/base/thread_team.h"
#include "reference/kernels/check_tensor.h"

namespace lockstep::kernels {
namespace {

constexpr int64_t kUInt8Window = 255;  // larger windows have int32 indices

// Everything about one pooling but its data.
struct Geometry {
  int64_t height, width, channels;
  Windows rows, columns;
  std::array<int64_t, 2> pool, strides;

  Shape OutputShape(int64_t images) const {
    return Shape{images, rows.count, columns.count, channels};
  }
  DType IndexType() const {
    return pool[0] * pool[1] <= kUInt8Window ? DType::kUInt8 : DType::kInt32;
  }
};

Geometry MakeGeometry(const Shape& x, const MaxPool2DOptions& options) {
  return {x[1],
          x[2],
          x[3],
          PlaceWindows("MaxPool2D", x[1], options.pool[0], options.strides[0],
                       options.padding),
          PlaceWindows("MaxPool2D", x[2], options.pool[1], options.strides[1],
                       options.padding),
          options.pool,
          options.strides};
}

// Calls body(p, q, offset) for the elements of one window that lie in the
// image: row and column in the window, first channel's offset in the image.
template <class Body>
void ForWindow(const Geometry& g, int64_t row, int64_t column,
               const Body& body) {
  for (int64_t p = 0; p < g.pool[0]; ++p) {
    const int64_t h = row * g.strides[0] - g.rows.before + p;
    if (h < 0 || h >= g.height) continue;
    for (int64_t q = 0; q < g.pool[1]; ++q) {
      const int64_t w = column * g.strides[1] - g.columns.before + q;
      if (w < 0 || w >= g.width) continue;
      body(p, q, (h * g.width + w) * g.channels);
    }
  }
}

template <typename Index>
void PoolImage(const Geometry& g, const float* x, float* y, Index* argmax) {
  for (int64_t i = 0; i < g.rows.count * g.columns.count; ++i) {
    float* out = y + i * g.channels;
    Index* index = argmax + i * g.channels;
    bool first = true;
    ForWindow(g, i / g.columns.count, i % g.columns.count,
              [&](int64_t p, int64_t q, int64_t offset) {
                for (int64_t c = 0; c < g.channels; ++c) {
                  const float value = x[offset + c];
                  // A first NaN wins, and nothing wins over it.
                  if (first || (!(value <= out[c]) && out[c] == out[c])) {
                    out[c] = value;
                    index[c] = static_cast<Index>(p * g.pool[1] + q);
                  }
                }
                first = false;
              });
  }
}

template <typename Index>
void UnpoolImage(const Geometry& g, const float* dy, const Index* argmax,
                 float* dx) {
  std::fill_n(dx, g.height * g.width * g.channels, 0.0f);
  for (int64_t i = 0; i < g.rows.count * g.columns.count; ++i) {
    const int64_t h = i / g.columns.count * g.strides[0] - g.rows.before;
    const int64_t w = i % g.columns.count * g.strides[1] - g.columns.before;
    for (int64_t c = 0; c < g.channels; ++c) {
      const auto index = static_cast<int64_t>(argmax[i * g.channels + c]);
      const int64_t row = h + index / g.pool[1];
      const int64_t column = w + index % g.pool[1];
      dx[(row * g.width + column) * g.channels + c] += dy[i * g.channels + c];
    }
  }
}

template <class Body>
void VisitIndexType(DType dtype, const Body& body) {
  if (dtype == DType::kUInt8) return body.template operator()<uint8_t>();
  body.template operator()<int32_t>();
}

}  // namespace

MaxPool2DResult MaxPool2D(const Tensor& x, const MaxPool2DOptions& options) {
  kernels_internal::CheckDType("MaxPool2D", "x", x, DType::kFloat32);
  kernels_internal::CheckRank("MaxPool2D", "x", x, 4);
  const Geometry g = MakeGeometry(x.shape(), options);
  const Shape shape = g.OutputShape(x.dim(0));
  MaxPool2DResult result{Tensor::Empty(shape),
                         Tensor::Empty(shape, g.IndexType())};
  const int64_t x_image = g.height * g.width * g.channels;
  const int64_t y_image = g.OutputShape(1).num_elements();
  VisitIndexType(g.IndexType(), [&]<typename Index>() {
    ParallelFor(x.dim(0), 1, [&](int64_t begin, int64_t end, int) {
      for (int64_t n = begin; n < end; ++n) {
        PoolImage(g, x.data<float>() + n * x_image,
                  result.y.mutable_data<float>() + n * y_image,
                  result.argmax.mutable_data<Index>() + n * y_image);
      }
    });
  });
  return result;
}

Tensor MaxPool2DBackward(const Shape& x_shape, const Tensor& argmax,
                         const Tensor& dy, const MaxPool2DOptions& options) {
  constexpr const char* kName = "MaxPool2DBackward";
  kernels_internal::CheckRank(kName, "argmax", argmax, 4);
  Tensor dx = Tensor::Empty(x_shape);
  kernels_internal::CheckRank(kName, "x", dx, 4);
  const Geometry g = MakeGeometry(x_shape, options);
  const Shape shape = g.OutputShape(x_shape[0]);
  kernels_internal::CheckDType(kName, "argmax", argmax, g.IndexType());
  kernels_internal::CheckShape(kName, "argmax", argmax, shape);
  kernels_internal::CheckDType(kName, "dy", dy, DType::kFloat32);
  kernels_internal::CheckShape(kName, "dy", dy, shape);
  const int64_t x_image = g.height * g.width * g.channels;
  const int64_t y_image = g.OutputShape(1).num_elements();
  VisitIndexType(g.IndexType(), [&]<typename Index>() {
    ParallelFor(x_shape[0], 1, [&](int64_t begin, int64_t end, int) {
      for (int64_t n = begin; n < end; ++n) {
        UnpoolImage(g, dy.data<float>() + n * y_image,
                    argmax.data<Index>() + n * y_image,
                    dx.mutable_data<float>() + n * x_image);
      }
    });
  });
  return dx;
}

}  // namespace lockstep::kernels
