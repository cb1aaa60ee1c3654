// How it works. Between the transforms, the 16 positions of a tile are
// independent: position p of an output tile is the sum over input channels of
// position p of the input tile times position p of the filter. So there are 16
// matrix products, of which each is one plane of the arrays:
//
//   forward           [tiles][inputs] * [inputs][outputs] -> [tiles][outputs]
//   filter gradient   [tiles][inputs]' * [tiles][outputs] += [inputs][outputs]
//   input gradient    [tiles][outputs] * [outputs][inputs] -> [tiles][inputs]
//
// The transposed one reads the same plane with its two strides exchanged; it
// adds to its result, which is a sum over all groups of tiles.
#include <cstddef>
#include <cstdint>

#include "reference/kernels/convolution/cpu/winograd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE \
  "reference/kernels/convolution/cpu/winograd_multiply.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace lockstep::kernels_internal::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// A product of small matrices in the cache: c [m, n] = a * b (+ c). Element
// (i, p) of a is a[i * a_row + p * a_column], so that a may be transposed. Rows
// of b and c are contiguous. Nothing is packed. Sums run over p in order, with
// one fused multiply-add each if the processor has it.
struct SmallGemmOperands {
  const float* a;
  int64_t a_row, a_column;
  const float* b;
  int64_t b_row;
  float* c;
  int64_t c_row;
};

// One block of kRows x kVectors vectors of c, held in registers.
template <int kRows, int kVectors, class D>
HWY_INLINE void GemmBlock(D d, int64_t k, SmallGemmOperands m,
                          bool accumulate) {
  const size_t lanes = hn::Lanes(d);
  hn::Vec<D> sums[kRows][kVectors];
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) {
      sums[r][v] = accumulate ? hn::LoadU(d, m.c + r * m.c_row + v * lanes)
                              : hn::Zero(d);
    }
  }
  for (int64_t p = 0; p < k; ++p) {
    hn::Vec<D> b[kVectors];
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) b[v] = hn::LoadU(d, m.b + v * lanes);
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      const auto a = hn::Set(d, m.a[r * m.a_row]);
#pragma GCC unroll 8
      for (int v = 0; v < kVectors; ++v) {
        sums[r][v] = hn::MulAdd(a, b[v], sums[r][v]);
      }
    }
    m.a += m.a_column;
    m.b += m.b_row;
  }
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) {
      hn::StoreU(sums[r][v], d, m.c + r * m.c_row + v * lanes);
    }
  }
}

template <int kVectors, class D>
HWY_NOINLINE void GemmColumns(D d, int64_t m, int64_t k, SmallGemmOperands o,
                              bool accumulate) {
  constexpr int kRows = 6;
  for (; m >= kRows; m -= kRows) {
    GemmBlock<kRows, kVectors>(d, k, o, accumulate);
    o.a += kRows * o.a_row;
    o.c += kRows * o.c_row;
  }
  if (m >= 4) {
    GemmBlock<4, kVectors>(d, k, o, accumulate);
    o.a += 4 * o.a_row;
    o.c += 4 * o.c_row;
    m -= 4;
  }
  if (m >= 2) {
    GemmBlock<2, kVectors>(d, k, o, accumulate);
    o.a += 2 * o.a_row;
    o.c += 2 * o.c_row;
    m -= 2;
  }
  if (m >= 1) GemmBlock<1, kVectors>(d, k, o, accumulate);
}

// REQUIRES: n is a multiple of 16, the most lanes a vector may have here.
HWY_INLINE void SmallGemm(int64_t m, int64_t n, int64_t k, SmallGemmOperands o,
                          bool accumulate) {
  // 24 of 32 registers hold sums with AVX-512, 12 of 16 elsewhere.
  constexpr int kVectors = HWY_TARGET <= HWY_AVX3 ? 4 : 2;
  const hn::CappedTag<float, 16> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  for (; n >= kVectors * lanes; n -= kVectors * lanes) {
    GemmColumns<kVectors>(d, m, k, o, accumulate);
    o.b += kVectors * lanes;
    o.c += kVectors * lanes;
  }
  for (; n > 0; n -= lanes) {
    GemmColumns<1>(d, m, k, o, accumulate);
    o.b += lanes;
    o.c += lanes;
  }
}

void Multiply(const WinogradPlanes& a, const WinogradPlanes& b, int64_t rows,
              int64_t k, WinogradPlanes c) {
  for (int64_t i = 0; i < kWinogradPositions; ++i) {
    SmallGemm(rows, b.channels, k,
              {a.data + i * a.plane(), a.channels, 1, b.data + i * b.plane(),
               b.channels, c.data + i * c.plane(), c.channels},
              /*accumulate=*/false);
  }
}

void MultiplyTransposed(const WinogradPlanes& a, const WinogradPlanes& b,
                        int64_t tiles, int64_t rows, WinogradPlanes c) {
  for (int64_t i = 0; i < kWinogradPositions; ++i) {
    SmallGemm(rows, b.channels, tiles,
              {a.data + i * a.plane(), 1, a.channels, b.data + i * b.plane(),
               b.channels, c.data + i * c.plane(), c.channels},
              /*accumulate=*/true);
  }
}

}  // namespace lockstep::kernels_internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lockstep::kernels_internal {

HWY_EXPORT(Multiply);
HWY_EXPORT(MultiplyTransposed);

void WinogradMultiply(const WinogradPlanes& a, const WinogradPlanes& b,
                      int64_t rows, int64_t k, WinogradPlanes c) {
  HWY_DYNAMIC_DISPATCH(Multiply)(a, b, rows, k, c);
}

void WinogradMultiplyTransposed(const WinogradPlanes& a,
                                const WinogradPlanes& b, int64_t tiles,
                                int64_t rows, WinogradPlanes c) {
  HWY_DYNAMIC_DISPATCH(MultiplyTransposed)(a, b, tiles, rows, c);
}

}  // namespace lockstep::kernels_internal
#endif  // HWY_ONCE
