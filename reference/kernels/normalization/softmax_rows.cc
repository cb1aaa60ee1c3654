#include "reference/kernels/normalization/softmax_rows.h"

#include <cstddef>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference/kernels/normalization/softmax_rows.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "reference/kernels/cpu/exponential-inl.h"
#include "reference/kernels/cpu/row_parts-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep::kernels_internal::HWY_NAMESPACE {

template <typename T>
struct Extent {
  T top;
  bool finite;  // all elements are; false also if their sum overflows
};

template <typename T>
HWY_INLINE Extent<T> ExtentOf(const T* x, int64_t count) {
  const RowTag<T> d;
  auto top = hn::Set(d, x[0]);
  auto sums = hn::Zero(d);
  ForParts(d, count, [&](int64_t i, int64_t n) HWY_ATTR {
    const auto v = LoadPart(d, x + i, n, x[0]);
    top = hn::Max(top, v);
    sums = hn::Add(sums, v);
  });
  const auto zero = hn::Zero(d);  // x * 0 of a finite sum
  return {hn::GetLane(hn::MaxOfLanes(d, top)),
          hn::AllTrue(d, hn::Eq(hn::Sub(sums, sums), zero))};
}

// Writes e^(x - top) to y and returns the sum.
template <bool kFinite, typename T>
HWY_INLINE double Exponentials(const T* x, T top, T* y, int64_t count) {
  const RowTag<T> d;
  const auto tops = hn::Set(d, top);
  LaneSums sums;
  ForParts(d, count, [&](int64_t i, int64_t n) HWY_ATTR {
    const auto v = hn::Sub(LoadPart(d, x + i, n, top), tops);
    hn::Vec<decltype(d)> e;
    if constexpr (kFinite) {
      e = hn::Exp(d, v);  // arguments are never above 0
    } else {
      e = ExpOf(d, v);
    }
    sums.Add(d, i, InPart(d, n, e));
    StorePart(d, e, y + i, n);
  });
  return sums.Total();
}

template <typename T>
HWY_INLINE ExponentialSum Softmax(const T* x, T* y, int64_t count) {
  const RowTag<T> d;
  const auto [top, finite] = ExtentOf(x, count);
  // A NaN makes the sum NaN, and so all of y.
  const double sum = finite ? Exponentials<true>(x, top, y, count)
                            : Exponentials<false>(x, top, y, count);
  const auto scale = hn::Set(d, static_cast<T>(1 / sum));
  ForParts(d, count, [&](int64_t i, int64_t n) HWY_ATTR {
    StorePart(d, hn::Mul(LoadPart(d, y + i, n, T{0}), scale), y + i, n);
  });
  return {static_cast<double>(top), sum};
}

template <typename T>
HWY_INLINE void SoftmaxBackward(const T* y, const T* dy, T* dx, int64_t count) {
  const RowTag<T> d;
  const hn::Rebind<T, WideTag> narrow;
  LaneSums sums;
  ForParts(narrow, count, [&](int64_t i, int64_t n) HWY_ATTR {
    sums.AddProduct(i, Widen(narrow, LoadPart(narrow, y + i, n, T{0})),
                    Widen(narrow, LoadPart(narrow, dy + i, n, T{0})));
  });
  const auto dot = hn::Set(d, static_cast<T>(sums.Total()));
  ForParts(d, count, [&](int64_t i, int64_t n) HWY_ATTR {
    const auto out = LoadPart(d, y + i, n, T{0});
    const auto in = LoadPart(d, dy + i, n, T{0});
    StorePart(d, hn::Mul(out, hn::Sub(in, dot)), dx + i, n);
  });
}

ExponentialSum SoftmaxFloat(const float* x, float* y, int64_t count) {
  return Softmax(x, y, count);
}
ExponentialSum SoftmaxDouble(const double* x, double* y, int64_t count) {
  return Softmax(x, y, count);
}
void BackwardFloat(const float* y, const float* dy, float* dx, int64_t count) {
  SoftmaxBackward(y, dy, dx, count);
}
void BackwardDouble(const double* y, const double* dy, double* dx,
                    int64_t count) {
  SoftmaxBackward(y, dy, dx, count);
}

}  // namespace lockstep::kernels_internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lockstep::kernels_internal {

HWY_EXPORT(SoftmaxFloat);
HWY_EXPORT(SoftmaxDouble);
HWY_EXPORT(BackwardFloat);
HWY_EXPORT(BackwardDouble);

template <>
ExponentialSum SoftmaxRow(const float* x, float* y, int64_t count) {
  return HWY_DYNAMIC_DISPATCH(SoftmaxFloat)(x, y, count);
}

template <>
ExponentialSum SoftmaxRow(const double* x, double* y, int64_t count) {
  return HWY_DYNAMIC_DISPATCH(SoftmaxDouble)(x, y, count);
}

template <>
void SoftmaxBackwardRow(const float* y, const float* dy, float* dx,
                        int64_t count) {
  HWY_DYNAMIC_DISPATCH(BackwardFloat)(y, dy, dx, count);
}

template <>
void SoftmaxBackwardRow(const double* y, const double* dy, double* dx,
                        int64_t count) {
  HWY_DYNAMIC_DISPATCH(BackwardDouble)(y, dy, dx, count);
}

}  // namespace lockstep::kernels_internal
#endif  // HWY_ONCE
