#include <algorithm>
#include <array>
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

// The maximum of a window whose first element is at x, and its index.
template <class D, class V, class I>
HWY_INLINE void Maximum(D d, const PoolShape& shape, const Window& w,
                        const float* x, V& best, I& winner) {
  const hn::RebindToSigned<D> di;
  const auto load = [&](int64_t i, int64_t j) HWY_ATTR {
    return hn::LoadU(d, x + (i * shape.width + j) * shape.channels);
  };
  const auto number = [&](int64_t i, int64_t j) HWY_ATTR {
    return hn::Set(di, static_cast<int32_t>(i * shape.pool[1] + j));
  };
  best = load(w.top, w.left);
  winner = number(w.top, w.left);
  for (int64_t i = w.top; i < w.bottom; ++i) {
    for (int64_t j = w.left; j < w.right; ++j) {
      Challenge(load(i, j), number(i, j), best, winner);
    }
  }
}

// The same for a whole window, by comparisons that lose NaN except in the first
// element. Returns false if there may be one.
template <size_t kCount, class D, class V, class I>
HWY_INLINE bool FastMaximum(D d, const std::array<int64_t, kCount>& offsets,
                            const float* x, V& best, I& winner) {
  const hn::RebindToSigned<D> di;
  best = hn::LoadU(d, x + offsets[0]);
  winner = hn::Zero(di);
  auto sum = best;
#pragma GCC unroll 16
  for (size_t e = 1; e < kCount; ++e) {
    const auto value = hn::LoadU(d, x + offsets[e]);
    const auto wins = hn::Gt(value, best);
    best = hn::IfThenElse(wins, value, best);
    winner = hn::IfThenElse(hn::RebindMask(di, wins),
                            hn::Set(di, static_cast<int32_t>(e)), winner);
    sum = hn::Add(sum, value);
  }
  return hn::AllTrue(d, hn::Eq(sum, sum));  // no NaN, nor inf - inf
}

// The data of a row's windows from `begin` to `end`, which overlap the border
// in the same way. x points to the first element of the first window.
template <typename Index>
struct WindowRun {
  const PoolShape& shape;
  Window first;
  int64_t windows;
  const float* x;
  float* y;
  Index* winners;
};

// Calls maximum(d, x, best, winner) for each vector of channels.
template <bool kRelu, typename Index, class FindMaximum>
HWY_INLINE void PoolRun(const WindowRun<Index>& run,
                        const FindMaximum& maximum) {
  const int64_t channels = run.shape.channels;
  const float* x = run.x;
  float* y = run.y;
  Index* winners = run.winners;
  for (int64_t i = 0; i < run.windows; ++i) {
    VectorLoop<float>(channels, [&](auto d, size_t c) HWY_ATTR {
      hn::Vec<decltype(d)> best;
      hn::Vec<hn::RebindToSigned<decltype(d)>> winner;
      maximum(d, x + c, best, winner);
      if constexpr (kRelu) CutWindow(best, winner);
      hn::StoreU(best, d, y + c);
      StoreWinner(winner, winners + c);
    });
    x += run.shape.strides[1] * channels;
    y += channels;
    winners += channels;
  }
}

template <bool kRelu, typename Index>
HWY_NOINLINE void PoolAny(const WindowRun<Index>& run) {
  PoolRun<kRelu>(
      run, [&](auto d, const float* x, auto& best, auto& winner)
               HWY_ATTR { Maximum(d, run.shape, run.first, x, best, winner); });
}

// REQUIRES: whole windows of this size.
template <bool kRelu, int64_t kRows, int64_t kColumns, typename Index>
HWY_NOINLINE void PoolWhole(const WindowRun<Index>& run) {
  const auto offsets = OffsetsOf<kRows, kColumns>(run.shape);
  PoolRun<kRelu>(
      run, [&](auto d, const float* x, auto& best, auto& winner) HWY_ATTR {
        if (HWY_UNLIKELY(!FastMaximum(d, offsets, x, best, winner))) {
          Maximum(d, run.shape, run.first, x, best, winner);
        }
      });
}

template <bool kRelu, typename Index>
HWY_INLINE void PoolImage(const PoolShape& shape, const float* x, float* y,
                          Index* winners) {
  ForRuns(shape, [&](const Window& w, int64_t output, int64_t windows) {
    const int64_t at = (w.row * shape.width + w.column) * shape.channels;
    const WindowRun<Index> run{shape,
                               w,
                               windows,
                               x + at,
                               y + output * shape.channels,
                               winners + output * shape.channels};
    VisitWindow(
        shape, w,
        [&]<int64_t kRows, int64_t kColumns>() {
          PoolWhole<kRelu, kRows, kColumns>(run);
        },
        [&] { PoolAny<kRelu>(run); });
  });
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

}  // namespace lockstep::kernels_internal
#endif  // HWY_ONCE
