// How it works. A tile is a pooling window of 2 x 2 outputs, so tiles are 2
// apart and their 4 x 4 patches of inputs overlap:
//
//   columns    0   1   2   3   4   5            1  0 -1  0
//   tile 0     [------------]             B' =  0  1  1  0
//   tile 1             [------------]           0 -1  1  0
//                                               0  1  0 -1
//
// B' d B is done for a vector of channels at a time, first down the columns of
// the patch and then along its rows, as additions in registers. Position (i, j)
// of the result goes to plane 4 i + j.
//
// A patch that is partly in the padding is copied first, with zeros around it
// (CopyCutPatch), so that the transform has one form. Backward is the
// transpose, B v B': a whole patch is added straight to dx, a cut one is made
// in a buffer of which only the part in the image is added.
#include <algorithm>

#include "reference/kernels/convolution/cpu/winograd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference/kernels/convolution/cpu/winograd_input.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "reference/kernels/cpu/vector_loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep::kernels_internal::HWY_NAMESPACE {

// The position of a 4 x 4 patch, and its part inside the image.
struct Patch {
  int64_t row, column;               // of the patch, may be negative
  int64_t top, bottom, left, right;  // inside: [top, bottom) x [left, right)

  bool whole() const {
    return top == 0 && bottom == 4 && left == 0 && right == 4;
  }
};

HWY_INLINE Patch PatchOf(const WinogradTiles& tiles, int64_t tile) {
  const int64_t window = tile % tiles.per_image();
  Patch patch;
  patch.row = window / tiles.columns * 2 - tiles.before_rows;
  patch.column = window % tiles.columns * 2 - tiles.before_columns;
  patch.top = std::clamp<int64_t>(-patch.row, 0, 4);
  patch.bottom = std::clamp<int64_t>(tiles.height - patch.row, 0, 4);
  patch.left = std::clamp<int64_t>(-patch.column, 0, 4);
  patch.right = std::clamp<int64_t>(tiles.width - patch.column, 0, 4);
  return patch;
}

// Offset of the patch's first element; outside the image for a cut patch.
HWY_INLINE int64_t PatchOffset(const WinogradTiles& tiles, const Patch& patch,
                               int64_t tile) {
  const int64_t image = tile / tiles.per_image();
  return ((image * tiles.height + patch.row) * tiles.width + patch.column) *
         tiles.inputs;
}

// B' d B for one patch; rows of d are `row` apart, columns `inputs`.
HWY_INLINE void TransformPatch(const float* patch, int64_t row, int64_t inputs,
                               float* out, int64_t plane) {
  VectorLoop<float>(inputs, [&](auto d, size_t c) HWY_ATTR {
    using V = hn::Vec<decltype(d)>;
    V t[4][4];
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) {
      const float* p = patch + j * inputs + c;
      const V d0 = hn::LoadU(d, p);
      const V d1 = hn::LoadU(d, p + row);
      const V d2 = hn::LoadU(d, p + 2 * row);
      const V d3 = hn::LoadU(d, p + 3 * row);
      t[0][j] = hn::Sub(d0, d2);
      t[1][j] = hn::Add(d1, d2);
      t[2][j] = hn::Sub(d2, d1);
      t[3][j] = hn::Sub(d1, d3);
    }
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
      float* to = out + 4 * i * plane + c;
      hn::StoreU(hn::Sub(t[i][0], t[i][2]), d, to);
      hn::StoreU(hn::Add(t[i][1], t[i][2]), d, to + plane);
      hn::StoreU(hn::Sub(t[i][2], t[i][1]), d, to + 2 * plane);
      hn::StoreU(hn::Sub(t[i][1], t[i][3]), d, to + 3 * plane);
    }
  });
}

// Copies a cut patch to `buffer` [4, 4, inputs], with zeros for elements
// outside the image.
HWY_INLINE void CopyCutPatch(const WinogradTiles& tiles, const Patch& patch,
                             const float* from, float* buffer) {
  std::fill_n(buffer, 16 * tiles.inputs, 0.0f);
  for (int64_t i = patch.top; i < patch.bottom; ++i) {
    std::copy_n(from + (i * tiles.width + patch.left) * tiles.inputs,
                (patch.right - patch.left) * tiles.inputs,
                buffer + (4 * i + patch.left) * tiles.inputs);
  }
}

void TransformInput(const WinogradTiles& tiles, const float* x, int64_t first,
                    int64_t count, WinogradPlanes out, float* buffer) {
  for (int64_t t = 0; t < count; ++t) {
    const Patch patch = PatchOf(tiles, first + t);
    const float* from = x + PatchOffset(tiles, patch, first + t);
    float* to = out.data + t * out.channels;
    if (patch.whole()) {
      TransformPatch(from, tiles.width * tiles.inputs, tiles.inputs, to,
                     out.plane());
    } else {
      CopyCutPatch(tiles, patch, from, buffer);
      TransformPatch(buffer, 4 * tiles.inputs, tiles.inputs, to, out.plane());
    }
  }
}

// B v B' for one tile, written to `patch` [4, 4, inputs] or added to it.
template <bool kAdd>
HWY_INLINE void InputGradientPatch(const float* v, int64_t plane,
                                   int64_t inputs, float* patch, int64_t row) {
  VectorLoop<float>(inputs, [&](auto d, size_t c) HWY_ATTR {
    using V = hn::Vec<decltype(d)>;
    V t[4][4];
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) {
      const float* p = v + j * plane + c;
      const V v0 = hn::LoadU(d, p);
      const V v1 = hn::LoadU(d, p + 4 * plane);
      const V v2 = hn::LoadU(d, p + 8 * plane);
      const V v3 = hn::LoadU(d, p + 12 * plane);
      t[0][j] = v0;
      t[1][j] = hn::Add(hn::Sub(v1, v2), v3);
      t[2][j] = hn::Sub(hn::Add(v1, v2), v0);
      t[3][j] = hn::Neg(v3);
    }
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
      const V parts[4] = {t[i][0], hn::Add(hn::Sub(t[i][1], t[i][2]), t[i][3]),
                          hn::Sub(hn::Add(t[i][1], t[i][2]), t[i][0]),
                          hn::Neg(t[i][3])};
#pragma GCC unroll 4
      for (int j = 0; j < 4; ++j) {
        float* to = patch + i * row + j * inputs + c;
        const V sum = kAdd ? hn::Add(hn::LoadU(d, to), parts[j]) : parts[j];
        hn::StoreU(sum, d, to);
      }
    }
  });
}

// Adds the part of a cut patch that is inside the image.
HWY_INLINE void AddCutPatch(const WinogradTiles& tiles, const Patch& patch,
                            const float* buffer, float* to) {
  for (int64_t i = patch.top; i < patch.bottom; ++i) {
    const float* from = buffer + (4 * i + patch.left) * tiles.inputs;
    float* row = to + (i * tiles.width + patch.left) * tiles.inputs;
    const int64_t count = (patch.right - patch.left) * tiles.inputs;
    for (int64_t c = 0; c < count; ++c) row[c] += from[c];
  }
}

void InputGradient(const WinogradTiles& tiles, const WinogradPlanes& planes,
                   int64_t first, int64_t count, float* dx, float* buffer) {
  for (int64_t t = 0; t < count; ++t) {
    const Patch patch = PatchOf(tiles, first + t);
    float* to = dx + PatchOffset(tiles, patch, first + t);
    const float* v = planes.data + t * planes.channels;
    if (patch.whole()) {
      InputGradientPatch<true>(v, planes.plane(), tiles.inputs, to,
                               tiles.width * tiles.inputs);
    } else {
      InputGradientPatch<false>(v, planes.plane(), tiles.inputs, buffer,
                                4 * tiles.inputs);
      AddCutPatch(tiles, patch, buffer, to);
    }
  }
}

}  // namespace lockstep::kernels_internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lockstep::kernels_internal {

HWY_EXPORT(TransformInput);
HWY_EXPORT(InputGradient);

void WinogradTransformInput(const WinogradTiles& tiles, const float* x,
                            int64_t first, int64_t count, WinogradPlanes out,
                            float* patch) {
  HWY_DYNAMIC_DISPATCH(TransformInput)(tiles, x, first, count, out, patch);
}

void WinogradInputGradient(const WinogradTiles& tiles,
                           const WinogradPlanes& planes, int64_t first,
                           int64_t count, float* dx, float* patch) {
  HWY_DYNAMIC_DISPATCH(InputGradient)(tiles, planes, first, count, dx, patch);
}

}  // namespace lockstep::kernels_internal
#endif  // HWY_ONCE
