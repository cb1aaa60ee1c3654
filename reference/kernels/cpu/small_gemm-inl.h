// Products of small matrices that lie in the cache. Include inside
// foreach_target.
//
// c [m, n] = a * b (+ c): element (i, p) of a is a[i * a_row + p * a_column],
// so that a may be read transposed; rows of b and c are contiguous. Nothing is
// packed. Sums run over p in order, with one fused multiply-add each where the
// processor has it.
#if defined(LOCKSTEP_REFERENCE_KERNELS_CPU_SMALL_GEMM_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef HWY_TARGET_TOGGLE
#undef LOCKSTEP_REFERENCE_KERNELS_CPU_SMALL_GEMM_INL_H_
#else
#define LOCKSTEP_REFERENCE_KERNELS_CPU_SMALL_GEMM_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace lockstep::kernels_internal::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

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

}  // namespace lockstep::kernels_internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // LOCKSTEP_REFERENCE_KERNELS_CPU_SMALL_GEMM_INL_H_
