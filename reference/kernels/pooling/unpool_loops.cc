#include <algorithm>
#include <cstddef>

#include "reference/kernels/pooling/pool_loops.h"
#include "reference/kernels/windows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference/kernels/pooling/unpool_loops.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "reference/kernels/cpu/vector_loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep::kernels_internal::HWY_NAMESPACE {

template <class D>
HWY_INLINE auto LoadWinner(D di, const int32_t* from) {
  return hn::LoadU(di, from);
}

template <class D>
HWY_INLINE auto LoadWinner(D di, const uint8_t* from) {
  return hn::PromoteTo(di, hn::LoadU(hn::Rebind<uint8_t, D>(), from));
}

// The data of a run of neighbouring windows, which overlap the border in the
// same way. dx points to the first element of the first window.
template <typename Index>
struct GradientRun {
  const PoolShape& shape;
  Window first;
  int64_t windows;
  const float* dy;
  const Index* winners;
  float* dx;
};

// Calls body(d, dy, winner, dx) for each vector of channels.
template <typename Index, class Body>
HWY_INLINE void ForGradients(const GradientRun<Index>& run, const Body& body) {
  const int64_t channels = run.shape.channels;
  const float* dy = run.dy;
  const Index* winners = run.winners;
  float* dx = run.dx;
  for (int64_t i = 0; i < run.windows; ++i) {
    VectorLoop<float>(channels, [&](auto d, size_t c) HWY_ATTR {
      const hn::RebindToSigned<decltype(d)> di;
      body(d, hn::LoadU(d, dy + c), LoadWinner(di, winners + c), dx + c);
    });
    dy += channels;
    winners += channels;
    dx += run.shape.strides[1] * channels;
  }
}

// Adds dy to the element of this index where it has won. kOnly: the element is
// in no other window, so that it is set.
template <bool kOnly, class D, class V, class I>
HWY_INLINE void AddWhereItWon(D d, V dy, I winner, int64_t number, float* dx) {
  const hn::RebindToSigned<D> di;
  const auto won = hn::Eq(winner, hn::Set(di, static_cast<int32_t>(number)));
  const V part = hn::IfThenElseZero(hn::RebindMask(d, won), dy);
  const V before = kOnly ? hn::Zero(d) : hn::LoadU(d, dx);
  hn::StoreU(hn::Add(before, part), d, dx);
}

template <bool kOnly, typename Index>
HWY_NOINLINE void UnpoolAny(const GradientRun<Index>& run) {
  const PoolShape& shape = run.shape;
  const Window& w = run.first;
  ForGradients(run, [&](auto d, auto dy, auto winner, float* dx) HWY_ATTR {
    for (int64_t i = w.top; i < w.bottom; ++i) {
      for (int64_t j = w.left; j < w.right; ++j) {
        const int64_t at = (i * shape.width + j) * shape.channels;
        AddWhereItWon<kOnly>(d, dy, winner, i * shape.pool[1] + j, dx + at);
      }
    }
  });
}

// REQUIRES: whole windows of this size.
template <bool kOnly, int64_t kRows, int64_t kColumns, typename Index>
HWY_NOINLINE void UnpoolWhole(const GradientRun<Index>& run) {
  const auto offsets = OffsetsOf<kRows, kColumns>(run.shape);
  ForGradients(run, [&](auto d, auto dy, auto winner, float* dx) HWY_ATTR {
#pragma GCC unroll 16
    for (int64_t e = 0; e < kRows * kColumns; ++e) {
      AddWhereItWon<kOnly>(d, dy, winner, e, dx + offsets[e]);
    }
  });
}

template <bool kOnly, typename Index>
HWY_INLINE void UnpoolRun(const GradientRun<Index>& run) {
  VisitWindow(
      run.shape, run.first,
      [&]<int64_t kRows, int64_t kColumns>() {
        UnpoolWhole<kOnly, kRows, kColumns>(run);
      },
      [&] { UnpoolAny<kOnly>(run); });
}

// Whether each element of the image is in exactly one window.
bool Tiles(const PoolShape& shape) {
  return shape.strides == shape.pool &&
         shape.rows.count * shape.pool[0] >= shape.height + shape.rows.before &&
         shape.columns.count * shape.pool[1] >=
             shape.width + shape.columns.before;
}

template <typename Index>
HWY_INLINE void UnpoolAll(const PoolShape& shape, const float* dy,
                          const Index* winners, float* dx) {
  const bool tiles = Tiles(shape);
  if (!tiles) std::fill_n(dx, shape.x_image(), 0.0f);
  ForRuns(shape, [&](const Window& w, int64_t output, int64_t windows) {
    const int64_t at = (w.row * shape.width + w.column) * shape.channels;
    const GradientRun<Index> run{shape,
                                 w,
                                 windows,
                                 dy + output * shape.channels,
                                 winners + output * shape.channels,
                                 dx + at};
    tiles ? UnpoolRun<true>(run) : UnpoolRun<false>(run);
  });
}

void UnpoolSmall(const PoolShape& shape, const float* dy,
                 const uint8_t* winners, float* dx) {
  UnpoolAll(shape, dy, winners, dx);
}

void UnpoolLarge(const PoolShape& shape, const float* dy,
                 const int32_t* winners, float* dx) {
  UnpoolAll(shape, dy, winners, dx);
}

}  // namespace lockstep::kernels_internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lockstep::kernels_internal {

HWY_EXPORT(UnpoolSmall);
HWY_EXPORT(UnpoolLarge);

template <>
void UnpoolImage(const PoolShape& shape, const float* dy,
                 const uint8_t* winners, float* dx) {
  HWY_DYNAMIC_DISPATCH(UnpoolSmall)(shape, dy, winners, dx);
}

template <>
void UnpoolImage(const PoolShape& shape, const float* dy,
                 const int32_t* winners, float* dx) {
  HWY_DYNAMIC_DISPATCH(UnpoolLarge)(shape, dy, winners, dx);
}

}  // namespace lockstep::kernels_internal
#endif  // HWY_ONCE
