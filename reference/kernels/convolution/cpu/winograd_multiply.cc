// How it works. Between the transforms, the 16 positions of a tile do not meet:
// position p of an output tile is the sum over input channels of position p of
// the input tile times position p of the filter. So there are 16 matrix
// products, of which each is one plane of the arrays:
//
//   forward           [tiles][inputs] * [inputs][outputs] -> [tiles][outputs]
//   filter gradient   [tiles][inputs]' * [tiles][outputs] += [inputs][outputs]
//   input gradient    [tiles][outputs] * [outputs][inputs] -> [tiles][inputs]
//
// The transposed one reads the same plane with its two strides exchanged; it
// adds to its result, which is a sum over all groups of tiles.
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
