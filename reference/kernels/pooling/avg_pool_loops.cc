#include <algorithm>

#include "reference/kernels/pooling/pool_loops.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference/kernels/pooling/avg_pool_loops.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "reference/kernels/cpu/vector_loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep::kernels_internal::HWY_NAMESPACE {

// body(window, its output's position) for each window of an image.
template <class Body>
HWY_INLINE void ForWindows(const PoolShape& shape, const Body& body) {
  int64_t position = 0;
  for (int64_t row = 0; row < shape.rows.count; ++row) {
    for (int64_t column = 0; column < shape.columns.count; ++column) {
      body(shape.WindowAt(row, column), position++);
    }
  }
}

// body(offset of an element's channels in the image) for a window's elements.
template <class Body>
HWY_INLINE void ForElements(const PoolShape& shape, const Window& w,
                            const Body& body) {
  for (int64_t i = w.top; i < w.bottom; ++i) {
    for (int64_t j = w.left; j < w.right; ++j) {
      body(((w.row + i) * shape.width + w.column + j) * shape.channels);
    }
  }
}

HWY_INLINE float CountOf(const Window& w) {
  return static_cast<float>((w.bottom - w.top) * (w.right - w.left));
}

void Average(const PoolShape& shape, const float* x, float* y) {
  ForWindows(shape, [&](const Window& w, int64_t position) HWY_ATTR {
    float* to = y + position * shape.channels;
    VectorLoop<float>(shape.channels, [&](auto d, size_t c) HWY_ATTR {
      auto sum = hn::Zero(d);
      ForElements(shape, w, [&](int64_t at) HWY_ATTR {
        sum = hn::Add(sum, hn::LoadU(d, x + at + c));
      });
      hn::StoreU(hn::Div(sum, hn::Set(d, CountOf(w))), d, to + c);
    });
  });
}

void Spread(const PoolShape& shape, const float* dy, float* dx) {
  std::fill_n(dx, shape.x_image(), 0.0f);
  ForWindows(shape, [&](const Window& w, int64_t position) HWY_ATTR {
    const float* from = dy + position * shape.channels;
    VectorLoop<float>(shape.channels, [&](auto d, size_t c) HWY_ATTR {
      const auto part = hn::Div(hn::LoadU(d, from + c), hn::Set(d, CountOf(w)));
      ForElements(shape, w, [&](int64_t at) HWY_ATTR {
        float* to = dx + at + c;
        hn::StoreU(hn::Add(hn::LoadU(d, to), part), d, to);
      });
    });
  });
}

}  // namespace lockstep::kernels_internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lockstep::kernels_internal {

HWY_EXPORT(Average);
HWY_EXPORT(Spread);

void AvgPoolImage(const PoolShape& shape, const float* x, float* y) {
  HWY_DYNAMIC_DISPATCH(Average)(shape, x, y);
}

void SpreadImage(const PoolShape& shape, const float* dy, float* dx) {
  HWY_DYNAMIC_DISPATCH(Spread)(shape, dy, dx);
}

}  // namespace lockstep::kernels_internal
#endif  // HWY_ONCE
