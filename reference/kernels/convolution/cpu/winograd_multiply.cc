#include "reference/kernels/convolution/cpu/winograd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE \
  "reference/kernels/convolution/cpu/winograd_multiply.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "reference/kernels/cpu/small_gemm-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep::kernels_internal::HWY_NAMESPACE {

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
