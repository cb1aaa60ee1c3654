// How it works. The 16 products of a tile become its 2 x 2 outputs, which are
// one pooling window, so the convolution's output is never stored:
//
//   A' =  1  1  1  0     Y = A' m A = y0 y1     y = ReLU(max(Y) + bias)
//         0  1 -1 -1                  y2 y3     selection = which won, or cut
//
// The bias is the same for all four, so it is added after the maximum.
//
// Backward starts from dy and the selection: the element that won gets dy, the
// others and a window that ReLU cut get 0, and A dy A' spreads the four over
// the 16 planes. The bias gradient is the sum of the four, which is part of the
// transform: its second row has y0 + y2 and y1 + y3.
#include "reference/kernels/convolution/cpu/winograd.h"
#include "reference/kernels/windows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE \
  "reference/kernels/convolution/cpu/winograd_output.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "reference/kernels/cpu/max_challenge-inl.h"
#include "reference/kernels/cpu/vector_loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep::kernels_internal::HWY_NAMESPACE {

// A' m A for one vector of channels, then bias, pooling and ReLU.
template <class D>
HWY_INLINE void PoolTile(D d, const float* m, int64_t plane, hn::Vec<D> bias,
                         float* y, uint8_t* selection) {
  using V = hn::Vec<D>;
  V t[2][4];
#pragma GCC unroll 4
  for (int j = 0; j < 4; ++j) {
    const float* p = m + j * plane;
    const V m1 = hn::LoadU(d, p + 4 * plane);
    const V m2 = hn::LoadU(d, p + 8 * plane);
    t[0][j] = hn::Add(hn::Add(hn::LoadU(d, p), m1), m2);
    t[1][j] = hn::Sub(hn::Sub(m1, m2), hn::LoadU(d, p + 12 * plane));
  }
  const V outputs[4] = {hn::Add(hn::Add(t[0][0], t[0][1]), t[0][2]),
                        hn::Sub(hn::Sub(t[0][1], t[0][2]), t[0][3]),
                        hn::Add(hn::Add(t[1][0], t[1][1]), t[1][2]),
                        hn::Sub(hn::Sub(t[1][1], t[1][2]), t[1][3])};
  V best;
  hn::Vec<hn::RebindToSigned<D>> winner;
  PoolFour(outputs, best, winner);
  best = hn::Add(best, bias);
  CutWindow(best, winner);
  hn::StoreU(best, d, y);
  StoreWinner(winner, selection);
}

void PoolOutput(const WinogradPlanes& planes, const float* bias,
                int64_t outputs, int64_t first, int64_t count, float* y,
                uint8_t* selection) {
  for (int64_t t = 0; t < count; ++t) {
    const float* m = planes.data + t * planes.channels;
    float* y_row = y + (first + t) * outputs;
    uint8_t* selection_row = selection + (first + t) * outputs;
    VectorLoop<float>(outputs, [&](auto d, size_t c) HWY_ATTR {
      const auto b = bias ? hn::LoadU(d, bias + c) : hn::Zero(d);
      PoolTile(d, m + c, planes.plane(), b, y_row + c, selection_row + c);
    });
  }
}

// A dy A' for one vector of channels: dy goes to the element that won. Adds dy
// to the bias gradient, unless ReLU cut.
template <class D>
HWY_INLINE void ExpandTile(D d, const float* dy, const uint8_t* selection,
                           float* m, int64_t plane, float* dbias) {
  using V = hn::Vec<D>;
  const hn::RebindToSigned<D> di;
  const hn::Rebind<uint8_t, D> d8;
  const auto winner = hn::PromoteTo(di, hn::LoadU(d8, selection));
  const V g = hn::LoadU(d, dy);
  V y[4];
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    const auto won = hn::Eq(winner, hn::Set(di, i));
    y[i] = hn::IfThenElseZero(hn::RebindMask(d, won), g);
  }
  const V t[4][2] = {{y[0], y[1]},
                     {hn::Add(y[0], y[2]), hn::Add(y[1], y[3])},
                     {hn::Sub(y[0], y[2]), hn::Sub(y[1], y[3])},
                     {hn::Neg(y[2]), hn::Neg(y[3])}};
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    float* to = m + 4 * i * plane;
    hn::StoreU(t[i][0], d, to);
    hn::StoreU(hn::Add(t[i][0], t[i][1]), d, to + plane);
    hn::StoreU(hn::Sub(t[i][0], t[i][1]), d, to + 2 * plane);
    hn::StoreU(hn::Neg(t[i][1]), d, to + 3 * plane);
  }
  const V passed = hn::Add(t[1][0], t[1][1]);
  hn::StoreU(hn::Add(hn::LoadU(d, dbias), passed), d, dbias);
}

void ExpandGradient(const float* dy, const uint8_t* selection, int64_t outputs,
                    int64_t first, int64_t count, WinogradPlanes out,
                    float* dbias) {
  for (int64_t t = 0; t < count; ++t) {
    const float* dy_row = dy + (first + t) * outputs;
    const uint8_t* selection_row = selection + (first + t) * outputs;
    float* m = out.data + t * out.channels;
    VectorLoop<float>(outputs, [&](auto d, size_t c) HWY_ATTR {
      ExpandTile(d, dy_row + c, selection_row + c, m + c, out.plane(),
                 dbias + c);
    });
  }
}

}  // namespace lockstep::kernels_internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lockstep::kernels_internal {

HWY_EXPORT(PoolOutput);
HWY_EXPORT(ExpandGradient);

void WinogradPoolOutput(const WinogradPlanes& planes, const float* bias,
                        int64_t outputs, int64_t first, int64_t count, float* y,
                        uint8_t* selection) {
  HWY_DYNAMIC_DISPATCH(PoolOutput)
  (planes, bias, outputs, first, count, y, selection);
}

void WinogradExpandGradient(const float* dy, const uint8_t* selection,
                            int64_t outputs, int64_t first, int64_t count,
                            WinogradPlanes out, float* dbias) {
  HWY_DYNAMIC_DISPATCH(ExpandGradient)
  (dy, selection, outputs, first, count, out, dbias);
}

}  // namespace lockstep::kernels_internal
#endif  // HWY_ONCE
