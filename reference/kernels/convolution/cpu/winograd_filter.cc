// How it works. A filter of 3 x 3 becomes 4 x 4 positions, for each pair of an
// input and an output channel. Channels of the last axis go in vectors:
//
//          1    0    0
//   G  =  1/2  1/2  1/2      U = G g G'     position (i, j) is in plane 4 i + j
//         1/2 -1/2  1/2
//          0    0    1
//
// ApplyG is G on three values. It is applied down the three columns of g, which
// gives 4 x 3 values, then along their four rows. The filter's gradient takes
// the transposed way, G' U G, from 4 x 4 positions to 3 x 3, once, after the
// sums over all tiles.
#include "reference/kernels/convolution/cpu/winograd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE \
  "reference/kernels/convolution/cpu/winograd_filter.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "reference/kernels/cpu/vector_loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep::kernels_internal::HWY_NAMESPACE {

// out = G in for a column of three values; rows of `in` and `out` are `stride`
// apart.
template <class V>
struct Four {
  V v0, v1, v2, v3;
};

template <class D, class V>
HWY_INLINE Four<V> ApplyG(D d, V g0, V g1, V g2) {
  const V half = hn::Set(d, 0.5f);
  const V outer = hn::Mul(half, hn::Add(g0, g2));
  const V inner = hn::Mul(half, g1);
  return {g0, hn::Add(outer, inner), hn::Sub(outer, inner), g2};
}

// The transpose of G: four to three.
template <class V>
struct Three {
  V v0, v1, v2;
};

template <class D, class V>
HWY_INLINE Three<V> ApplyGTransposed(D d, V u0, V u1, V u2, V u3) {
  const V half = hn::Set(d, 0.5f);
  const V sum = hn::Mul(half, hn::Add(u1, u2));
  return {hn::Add(u0, sum), hn::Mul(half, hn::Sub(u1, u2)), hn::Add(sum, u3)};
}

void TransformFilter(const float* filter, int64_t channels,
                     WinogradPlanes out) {
  const int64_t tap = out.rows * channels;
  for (int64_t row = 0; row < out.rows; ++row) {
    const float* g = filter + row * channels;
    float* u = out.data + row * out.channels;
    VectorLoop<float>(channels, [&](auto d, size_t c) HWY_ATTR {
      using V = hn::Vec<decltype(d)>;
      Four<V> columns[3];
      for (int j = 0; j < 3; ++j) {
        const float* top = g + j * tap + c;
        columns[j] = ApplyG(d, hn::LoadU(d, top), hn::LoadU(d, top + 3 * tap),
                            hn::LoadU(d, top + 6 * tap));
      }
      const auto store = [&](int64_t i, V a, V b, V e) HWY_ATTR {
        const Four<V> r = ApplyG(d, a, b, e);
        float* to = u + 4 * i * out.plane() + c;
        hn::StoreU(r.v0, d, to);
        hn::StoreU(r.v1, d, to + out.plane());
        hn::StoreU(r.v2, d, to + 2 * out.plane());
        hn::StoreU(r.v3, d, to + 3 * out.plane());
      };
      store(0, columns[0].v0, columns[1].v0, columns[2].v0);
      store(1, columns[0].v1, columns[1].v1, columns[2].v1);
      store(2, columns[0].v2, columns[1].v2, columns[2].v2);
      store(3, columns[0].v3, columns[1].v3, columns[2].v3);
    });
  }
}

void FilterGradient(const WinogradPlanes& planes, int64_t channels,
                    float* dfilter) {
  const int64_t tap = planes.rows * channels;
  for (int64_t row = 0; row < planes.rows; ++row) {
    const float* u = planes.data + row * planes.channels;
    float* g = dfilter + row * channels;
    VectorLoop<float>(channels, [&](auto d, size_t c) HWY_ATTR {
      using V = hn::Vec<decltype(d)>;
      const auto load = [&](int64_t i, int64_t j) HWY_ATTR {
        return hn::LoadU(d, u + (4 * i + j) * planes.plane() + c);
      };
      Three<V> columns[4];
      for (int j = 0; j < 4; ++j) {
        columns[j] =
            ApplyGTransposed(d, load(0, j), load(1, j), load(2, j), load(3, j));
      }
      const auto store = [&](int64_t i, V a, V b, V e, V f) HWY_ATTR {
        const Three<V> r = ApplyGTransposed(d, a, b, e, f);
        float* to = g + 3 * i * tap + c;
        hn::StoreU(r.v0, d, to);
        hn::StoreU(r.v1, d, to + tap);
        hn::StoreU(r.v2, d, to + 2 * tap);
      };
      store(0, columns[0].v0, columns[1].v0, columns[2].v0, columns[3].v0);
      store(1, columns[0].v1, columns[1].v1, columns[2].v1, columns[3].v1);
      store(2, columns[0].v2, columns[1].v2, columns[2].v2, columns[3].v2);
    });
  }
}

}  // namespace lockstep::kernels_internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lockstep::kernels_internal {

HWY_EXPORT(TransformFilter);
HWY_EXPORT(FilterGradient);

void WinogradTransformFilter(const float* filter, int64_t channels,
                             WinogradPlanes out) {
  HWY_DYNAMIC_DISPATCH(TransformFilter)(filter, channels, out);
}

void WinogradFilterGradient(const WinogradPlanes& planes, int64_t channels,
                            float* dfilter) {
  HWY_DYNAMIC_DISPATCH(FilterGradient)(planes, channels, dfilter);
}

}  // namespace lockstep::kernels_internal
#endif  // HWY_ONCE
