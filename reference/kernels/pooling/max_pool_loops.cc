#include <algorithm>
#include <cstddef>
#include <vector>

#include "reference/kernels/pooling/pool_loops.h"
#include "reference/kernels/windows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference/kernels/pooling/max_pool_loops.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "reference/kernels/cpu/max_challenge-inl.h"
#include "reference/kernels/cpu/vector_loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep::kernels_internal::HWY_NAMESPACE {

template <bool kRelu, typename Index>
HWY_INLINE void PoolWindow(const PoolShape& shape, const Window& w,
                           const float* x, float* y, Index* winners) {
  VectorLoop<float>(shape.channels, [&](auto d, size_t c) HWY_ATTR {
    const hn::RebindToSigned<decltype(d)> di;
    const auto load = [&](int64_t i, int64_t j) HWY_ATTR {
      const int64_t at = (w.row + i) * shape.width + w.column + j;
      return hn::LoadU(d, x + at * shape.channels + c);
    };
    const auto number = [&](int64_t i, int64_t j) HWY_ATTR {
      return hn::Set(di, static_cast<int32_t>(i * shape.pool[1] + j));
    };
    auto best = load(w.top, w.left);
    auto winner = number(w.top, w.left);
    for (int64_t i = w.top; i < w.bottom; ++i) {
      for (int64_t j = w.left; j < w.right; ++j) {
        Challenge(load(i, j), number(i, j), best, winner);
      }
    }
    if constexpr (kRelu) CutWindow(best, winner);
    hn::StoreU(best, d, y + c);
    StoreWinner(winner, winners + c);
  });
}

template <bool kRelu, typename Index>
HWY_INLINE void PoolImage(const PoolShape& shape, const float* x, float* y,
                          Index* winners) {
  for (int64_t row = 0; row < shape.rows.count; ++row) {
    for (int64_t column = 0; column < shape.columns.count; ++column) {
      PoolWindow<kRelu>(shape, shape.WindowAt(row, column), x, y, winners);
      y += shape.channels;
      winners += shape.channels;
    }
  }
}

void PoolSmall(const PoolShape& shape, const float* x, float* y,
               uint8_t* winners) {
  PoolImage<false>(shape, x, y, winners);
}

void PoolLarge(const PoolShape& shape, const float* x, float* y,
               int32_t* winners) {
  PoolImage<false>(shape, x, y, winners);
}

void PoolRelu(const PoolShape& shape, const float* x, float* y,
              uint8_t* winners) {
  PoolImage<true>(shape, x, y, winners);
}

}  // namespace lockstep::kernels_internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lockstep::kernels_internal {

HWY_EXPORT(PoolSmall);
HWY_EXPORT(PoolLarge);
HWY_EXPORT(PoolRelu);

template <>
void MaxPoolImage(const PoolShape& shape, const float* x, float* y,
                  uint8_t* winners) {
  HWY_DYNAMIC_DISPATCH(PoolSmall)(shape, x, y, winners);
}

template <>
void MaxPoolImage(const PoolShape& shape, const float* x, float* y,
                  int32_t* winners) {
  HWY_DYNAMIC_DISPATCH(PoolLarge)(shape, x, y, winners);
}

void MaxPoolReluImage(const PoolShape& shape, const float* x, float* y,
                      uint8_t* winners) {
  HWY_DYNAMIC_DISPATCH(PoolRelu)(shape, x, y, winners);
}

template <typename Index>
void UnpoolImage(const PoolShape& shape, const float* dy, const Index* winners,
                 float* dx) {
  std::fill_n(dx, shape.x_image(), 0.0f);
  const int64_t channels = shape.channels;
  // Where each element of a window lies behind the first one.
  std::vector<int64_t> offsets(shape.pool[0] * shape.pool[1]);
  for (size_t i = 0; i < offsets.size(); ++i) {
    const auto element = static_cast<int64_t>(i);
    offsets[i] =
        (element / shape.pool[1] * shape.width + element % shape.pool[1]) *
        channels;
  }
  for (int64_t i = 0; i < shape.rows.count * shape.columns.count; ++i) {
    const int64_t row =
        i / shape.columns.count * shape.strides[0] - shape.rows.before;
    const int64_t column =
        i % shape.columns.count * shape.strides[1] - shape.columns.before;
    const int64_t first = (row * shape.width + column) * channels;
    for (int64_t c = 0; c < channels; ++c) {
      const Index winner = winners[i * channels + c];
      if (sizeof(Index) == 1 && winner == kernels::kReluCut) continue;
      dx[first + offsets[winner] + c] += dy[i * channels + c];
    }
  }
}

template void UnpoolImage(const PoolShape&, const float*, const uint8_t*,
                          float*);
template void UnpoolImage(const PoolShape&, const float*, const int32_t*,
                          float*);

}  // namespace lockstep::kernels_internal
#endif  // HWY_ONCE
