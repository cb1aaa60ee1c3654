// How it works. x is one image with zeros around it, in rows of padded_row
// floats. The four outputs of a pooling window read the same pattern of taps
// from four places, next_column and next_row apart:
//
//   tap t of output 0: x[at + tap[t]]           output 1: ... + next_column
//                 output 2: ... + next_row      output 3: ... + both
//
// Forward, for each window: a vector holds output channels, 4 sums (or 8) stay
// in registers. Each tap broadcasts the four inputs and multiplies them with
// one vector of the filter. Then the four sums are compared, and y and the
// number of the winner, or that ReLU cut it, are stored: one byte per channel.
//
// Backward: each channel of a window gives dy to the input that its winner
// read, so lanes of a vector read different inputs for the same tap. Quads()
// therefore lays the four candidates of every element side by side, 16 bytes,
//
//   quads[4 i ...]:  x[i]  x[i + next_column]  x[i + next_row]  x[i + both]
//
// and a table lookup picks each lane's by its winner, or 0 where ReLU cut. A
// group of 9 taps keeps its sums in registers over the whole image, so dfilter
// is read and written once per image and group.
#include "reference/kernels/convolution/cpu/shallow.h"

#include <algorithm>
#include <type_traits>

#include "reference/kernels/windows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference/kernels/convolution/cpu/shallow.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "reference/kernels/cpu/max_challenge-inl.h"
#include "reference/kernels/cpu/vector_loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep::kernels_internal::HWY_NAMESPACE {

using D = hn::CappedTag<float, 16>;
using V = hn::Vec<D>;

// Bias, pooling and ReLU on the four outputs of a window.
HWY_INLINE void StoreWindow(const V (&sums)[4], V bias, float* y,
                            uint8_t* selection) {
  const D d;
  V best;
  hn::Vec<hn::RebindToSigned<D>> winner;
  PoolFour(sums, best, winner);
  best = hn::Add(best, bias);
  CutWindow(best, winner);
  hn::StoreU(best, d, y);
  StoreWinner(winner, selection);
}

// One window, kVectors vectors of channels.
template <int kVectors>
HWY_INLINE void ForwardWindow(const ShallowShape& shape, const float* x,
                              const float* filter, const float* bias, float* y,
                              uint8_t* selection) {
  const D d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  V sums[kVectors][4];
#pragma GCC unroll 2
  for (int v = 0; v < kVectors; ++v) {
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) sums[v][i] = hn::Zero(d);
  }
  for (int64_t t = 0; t < shape.taps; ++t) {
    const float* at = x + shape.tap[t];
    const V inputs[4] = {hn::Set(d, at[0]), hn::Set(d, at[shape.next_column]),
                         hn::Set(d, at[shape.next_row]),
                         hn::Set(d, at[shape.next_row + shape.next_column])};
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) {
      const V w = hn::LoadU(d, filter + t * shape.outputs + v * lanes);
#pragma GCC unroll 4
      for (int i = 0; i < 4; ++i) {
        sums[v][i] = hn::MulAdd(inputs[i], w, sums[v][i]);
      }
    }
  }
#pragma GCC unroll 2
  for (int v = 0; v < kVectors; ++v) {
    const V b = bias ? hn::LoadU(d, bias + v * lanes) : hn::Zero(d);
    StoreWindow(sums[v], b, y + v * lanes, selection + v * lanes);
  }
}

// All windows, kVectors vectors of channels.
template <int kVectors>
HWY_NOINLINE void ForwardPanel(const ShallowShape& shape, const float* padded,
                               const float* filter, const float* bias, float* y,
                               uint8_t* selection) {
  for (int64_t row = 0; row < shape.rows; ++row) {
    const float* x = padded + 2 * row * shape.next_row;
    for (int64_t column = 0; column < shape.columns; ++column) {
      ForwardWindow<kVectors>(shape, x, filter, bias, y, selection);
      x += 2 * shape.next_column;
      y += shape.outputs;
      selection += shape.outputs;
    }
  }
}

// Calls body(first channel, number of vectors) with 2 vectors at a time, then
// 1.
template <class Body>
HWY_INLINE void ForPanels(int64_t outputs, const Body& body) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(D()));
  int64_t c = 0;
  for (; c + 2 * lanes <= outputs; c += 2 * lanes) {
    body(c, std::integral_constant<int, 2>());
  }
  for (; c < outputs; c += lanes) body(c, std::integral_constant<int, 1>());
}

void Forward(const ShallowShape& shape, const float* padded,
             const float* filter, const float* bias, float* y,
             uint8_t* selection) {
  ForPanels(shape.outputs, [&](int64_t c, auto vectors) HWY_ATTR {
    ForwardPanel<vectors()>(shape, padded, filter + c,
                            bias ? bias + c : nullptr, y + c, selection + c);
  });
}

void Quads(const ShallowShape& shape, const float* padded, float* quads) {
  const D d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const int64_t end = shape.padded_height * shape.padded_row - shape.next_row;
  for (int64_t i = 0; i < end; i += lanes) {
    const float* at = padded + i;
    hn::StoreInterleaved4(hn::LoadU(d, at),
                          hn::LoadU(d, at + shape.next_column),
                          hn::LoadU(d, at + shape.next_row),
                          hn::LoadU(d, at + shape.next_row + shape.next_column),
                          d, quads + 4 * i);
  }
}

// Selects each lane's element of a quad: the winner's, or 0 where ReLU cut.
using Winner = hn::Vec<hn::RebindToSigned<D>>;

#if HWY_TARGET == HWY_SCALAR

using Pick = Winner;

HWY_INLINE Pick MakePick(Winner winner) { return winner; }

HWY_INLINE V PickFrom(const float* quad, Pick pick) {
  const int32_t winner = hn::GetLane(pick);
  return hn::Set(D(), winner == kernels::kReluCut ? 0 : quad[winner]);
}

#else

// The bytes of each lane in the quad.
using Bytes = hn::Repartition<uint8_t, D>;
using Pick = hn::Vec<Bytes>;

HWY_INLINE Pick MakePick(Winner winner) {
  const hn::RebindToSigned<D> di;
  const auto cut = hn::Eq(winner, hn::Set(di, kernels::kReluCut));
  const auto bytes = hn::Add(hn::Mul(winner, hn::Set(di, 0x04040404)),
                             hn::Set(di, 0x03020100));
  // Bytes of -1 read zeros, so that no NaN of x reaches a cut lane.
  return hn::BitCast(Bytes(), hn::IfThenElse(cut, hn::Set(di, -1), bytes));
}

HWY_INLINE V PickFrom(const float* quad, Pick pick) {
  const auto all = hn::BitCast(Bytes(), hn::LoadDup128(D(), quad));
  return hn::BitCast(D(), hn::TableLookupBytesOr0(all, pick));
}

#endif

// The number of taps whose sums are in registers at once.
constexpr int64_t kTapGroup = 9;

// Adds one image's part of taps first .. first + count - 1 and kVectors vectors
// of channels.
template <int kVectors>
HWY_INLINE void BackwardTaps(const ShallowShape& shape, int64_t first,
                             int64_t count, const float* quads, const float* dy,
                             const uint8_t* selection, float* dfilter,
                             float* dbias) {
  const D d;
  const hn::RebindToSigned<D> di;
  const hn::Rebind<uint8_t, D> d8;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t tap[kTapGroup] = {};  // a short last group repeats tap 0
  for (int64_t t = 0; t < count; ++t) tap[t] = 4 * shape.tap[first + t];
  V sums[kTapGroup][kVectors];
  V bias[kVectors];
#pragma GCC unroll 2
  for (int v = 0; v < kVectors; ++v) {
    bias[v] = hn::Zero(d);
#pragma GCC unroll 9
    for (int64_t t = 0; t < kTapGroup; ++t) sums[t][v] = hn::Zero(d);
  }
  for (int64_t row = 0; row < shape.rows; ++row) {
    const float* x = quads + 8 * row * shape.next_row;
    for (int64_t column = 0; column < shape.columns; ++column) {
      V g[kVectors];
      Pick pick[kVectors];
#pragma GCC unroll 2
      for (int v = 0; v < kVectors; ++v) {
        const int64_t from = v * lanes;
        const auto winner = hn::PromoteTo(di, hn::LoadU(d8, selection + from));
        const auto cut = hn::Eq(winner, hn::Set(di, kernels::kReluCut));
        g[v] =
            hn::IfThenZeroElse(hn::RebindMask(d, cut), hn::LoadU(d, dy + from));
        pick[v] = MakePick(winner);
        bias[v] = hn::Add(bias[v], g[v]);
      }
#pragma GCC unroll 9
      for (int64_t t = 0; t < kTapGroup; ++t) {
#pragma GCC unroll 2
        for (int v = 0; v < kVectors; ++v) {
          sums[t][v] =
              hn::MulAdd(PickFrom(x + tap[t], pick[v]), g[v], sums[t][v]);
        }
      }
      x += 8 * shape.next_column;
      dy += shape.outputs;
      selection += shape.outputs;
    }
  }
#pragma GCC unroll 2
  for (int v = 0; v < kVectors; ++v) {
    for (int64_t t = 0; t < count; ++t) {
      float* to = dfilter + (first + t) * shape.outputs + v * lanes;
      hn::StoreU(hn::Add(hn::LoadU(d, to), sums[t][v]), d, to);
    }
    if (first > 0) continue;  // the bias is summed with the first group
    float* to = dbias + v * lanes;
    hn::StoreU(hn::Add(hn::LoadU(d, to), bias[v]), d, to);
  }
}

void Backward(const ShallowShape& shape, const float* quads, const float* dy,
              const uint8_t* selection, float* dfilter, float* dbias) {
  // 18 sums fit into 32 registers, not into 16.
  constexpr int kVectors = HWY_TARGET <= HWY_AVX3 ? 2 : 1;
  for (int64_t first = 0; first < shape.taps; first += kTapGroup) {
    const int64_t count = std::min(kTapGroup, shape.taps - first);
    ForPanels(shape.outputs, [&](int64_t c, auto vectors) HWY_ATTR {
      const int64_t lanes = static_cast<int64_t>(hn::Lanes(D()));
      constexpr int kAtOnce = std::min<int>(vectors(), kVectors);
      for (int v = 0; v < vectors(); v += kAtOnce) {
        const int64_t at = c + v * lanes;
        BackwardTaps<kAtOnce>(shape, first, count, quads, dy + at,
                              selection + at, dfilter + at, dbias + at);
      }
    });
  }
}

}  // namespace lockstep::kernels_internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lockstep::kernels_internal {

HWY_EXPORT(Forward);
HWY_EXPORT(Quads);
HWY_EXPORT(Backward);

void ShallowForward(const ShallowShape& shape, const float* padded,
                    const float* filter, const float* bias, float* y,
                    uint8_t* selection) {
  HWY_DYNAMIC_DISPATCH(Forward)(shape, padded, filter, bias, y, selection);
}

void ShallowQuads(const ShallowShape& shape, const float* padded,
                  float* quads) {
  HWY_DYNAMIC_DISPATCH(Quads)(shape, padded, quads);
}

void ShallowBackward(const ShallowShape& shape, const float* quads,
                     const float* dy, const uint8_t* selection, float* dfilter,
                     float* dbias) {
  HWY_DYNAMIC_DISPATCH(Backward)
  (shape, quads, dy, selection, dfilter, dbias);
}

}  // namespace lockstep::kernels_internal
#endif  // HWY_ONCE
