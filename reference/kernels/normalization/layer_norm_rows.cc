#include "reference/kernels/normalization/layer_norm_rows.h"

#include <cmath>
#include <cstddef>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference/kernels/normalization/layer_norm_rows.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "reference/kernels/cpu/row_parts-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep::kernels_internal::HWY_NAMESPACE {

template <typename T>
HWY_INLINE RowMoments<T> MomentsOf(const T* x, double epsilon, int64_t count) {
  const RowTag<T> d;
  LaneSums sums;
  ForParts(d, count, [&](int64_t i, int64_t n) HWY_ATTR {
    sums.Add(d, i, LoadPart(d, x + i, n, T{0}));
  });
  const T mean = static_cast<T>(sums.Total() / static_cast<double>(count));
  LaneSums squares;
  ForParts(d, count, [&](int64_t i, int64_t n) HWY_ATTR {
    const auto centred = hn::Sub(LoadPart(d, x + i, n, mean), hn::Set(d, mean));
    squares.Add(d, i, hn::Mul(centred, centred));
  });
  const double variance = squares.Total() / static_cast<double>(count);
  return {mean, static_cast<T>(1 / std::sqrt(variance + epsilon))};
}

template <typename T>
HWY_INLINE RowMoments<T> LayerNorm(const T* x, const T* gamma, const T* beta,
                                   double epsilon, T* y, int64_t count) {
  const RowTag<T> d;
  const RowMoments<T> moments = MomentsOf(x, epsilon, count);
  const auto mean = hn::Set(d, moments.mean);
  const auto scale = hn::Set(d, moments.scale);
  ForParts(d, count, [&](int64_t i, int64_t n) HWY_ATTR {
    auto v = hn::Mul(hn::Sub(LoadPart(d, x + i, n, T{0}), mean), scale);
    if (gamma) v = hn::Mul(v, LoadPart(d, gamma + i, n, T{0}));
    if (beta) v = hn::Add(v, LoadPart(d, beta + i, n, T{0}));
    StorePart(d, v, y + i, n);
  });
  return moments;
}

// sums[i] += v, for each of the first n lanes.
template <class D>
HWY_INLINE void AddTo(D d, hn::Vec<D> v, double* sums, int64_t n) {
  const WideTag wide;
  const auto widened = Widen(d, v);
  const auto before = LoadPart(wide, sums, n, 0.0);
  StorePart(wide, hn::Add(before, widened), sums, n);
}

// With the normalized x: dx = (g - mean of g - x * mean of (g * x)) * scale, g =
// dy * gamma.
template <typename T>
HWY_INLINE void LayerNormBackward(const NormalizedRow<T>& row, const T* dy,
                                  T* dx, double* dgamma, double* dbeta,
                                  int64_t count) {
  const hn::Rebind<T, WideTag> d;
  const auto mean = hn::Set(d, row.moments.mean);
  const auto scale = hn::Set(d, row.moments.scale);
  const auto normalized = [&](int64_t i, int64_t n) HWY_ATTR {
    return hn::Mul(hn::Sub(LoadPart(d, row.x + i, n, row.moments.mean), mean),
                   scale);
  };
  const auto gradient = [&](int64_t i, int64_t n) HWY_ATTR {
    const auto v = LoadPart(d, dy + i, n, T{0});
    return row.gamma ? hn::Mul(v, LoadPart(d, row.gamma + i, n, T{0})) : v;
  };
  LaneSums sums, products;
  ForParts(d, count, [&](int64_t i, int64_t n) HWY_ATTR {
    const auto x = normalized(i, n), g = gradient(i, n);
    const auto incoming = LoadPart(d, dy + i, n, T{0});
    sums.AddWide(i, Widen(d, g));
    products.AddProduct(i, Widen(d, g), Widen(d, x));
    AddTo(d, hn::Mul(incoming, x), dgamma + i, n);
    AddTo(d, incoming, dbeta + i, n);
  });
  const auto size = static_cast<double>(count);
  const auto shift = hn::Set(d, static_cast<T>(sums.Total() / size));
  const auto slope = hn::Set(d, static_cast<T>(products.Total() / size));
  ForParts(d, count, [&](int64_t i, int64_t n) HWY_ATTR {
    const auto along = hn::Mul(normalized(i, n), slope);
    const auto v = hn::Sub(hn::Sub(gradient(i, n), shift), along);
    StorePart(d, hn::Mul(v, scale), dx + i, n);
  });
}

RowMoments<float> LayerNormFloat(const float* x, const float* gamma,
                                 const float* beta, double epsilon, float* y,
                                 int64_t count) {
  return LayerNorm(x, gamma, beta, epsilon, y, count);
}
RowMoments<double> LayerNormDouble(const double* x, const double* gamma,
                                   const double* beta, double epsilon,
                                   double* y, int64_t count) {
  return LayerNorm(x, gamma, beta, epsilon, y, count);
}
void LayerNormBackwardFloat(const NormalizedRow<float>& row, const float* dy,
                            float* dx, double* dgamma, double* dbeta,
                            int64_t count) {
  LayerNormBackward(row, dy, dx, dgamma, dbeta, count);
}
void LayerNormBackwardDouble(const NormalizedRow<double>& row, const double* dy,
                             double* dx, double* dgamma, double* dbeta,
                             int64_t count) {
  LayerNormBackward(row, dy, dx, dgamma, dbeta, count);
}

}  // namespace lockstep::kernels_internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lockstep::kernels_internal {

HWY_EXPORT(LayerNormFloat);
HWY_EXPORT(LayerNormDouble);
HWY_EXPORT(LayerNormBackwardFloat);
HWY_EXPORT(LayerNormBackwardDouble);

template <>
RowMoments<float> LayerNormRow(const float* x, const float* gamma,
                               const float* beta, double epsilon, float* y,
                               int64_t count) {
  return HWY_DYNAMIC_DISPATCH(LayerNormFloat)(x, gamma, beta, epsilon, y,
                                              count);
}

template <>
RowMoments<double> LayerNormRow(const double* x, const double* gamma,
                                const double* beta, double epsilon, double* y,
                                int64_t count) {
  return HWY_DYNAMIC_DISPATCH(LayerNormDouble)(x, gamma, beta, epsilon, y,
                                               count);
}

template <>
void LayerNormBackwardRow(const NormalizedRow<float>& row, const float* dy,
                          float* dx, double* dgamma, double* dbeta,
                          int64_t count) {
  HWY_DYNAMIC_DISPATCH(LayerNormBackwardFloat)
  (row, dy, dx, dgamma, dbeta, count);
}

template <>
void LayerNormBackwardRow(const NormalizedRow<double>& row, const double* dy,
                          double* dx, double* dgamma, double* dbeta,
                          int64_t count) {
  HWY_DYNAMIC_DISPATCH(LayerNormBackwardDouble)
  (row, dy, dx, dgamma, dbeta, count);
}

}  // namespace lockstep::kernels_internal
#endif  // HWY_ONCE
