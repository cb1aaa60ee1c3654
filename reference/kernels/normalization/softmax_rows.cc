#include "reference/kernels/normalization/softmax_rows.h"

#include <cstddef>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference/kernels/normalization/softmax_rows.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "reference/kernels/cpu/exponential-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep::kernels_internal::HWY_NAMESPACE {

template <typename T>
using RowTag = hn::ScalableTag<T>;
using WideTag = hn::ScalableTag<double>;

// Eight sums in float64, of the elements with equal index modulo 8. Number and
// order of the sums do not depend on the number of lanes of a vector.
class LaneSums {
 public:
  // Adds the vector that starts at element i.
  template <class D>
  HWY_INLINE void Add([[maybe_unused]] D d, int64_t i, hn::Vec<D> v) {
    if constexpr (sizeof(hn::TFromD<D>) == 8) {
      SumOf(i) = hn::Add(SumOf(i), v);
    } else {
#if HWY_TARGET == HWY_SCALAR
      SumOf(i) = hn::Add(SumOf(i), hn::PromoteTo(WideTag(), v));
#else
      // A vector of floats gives two of doubles.
      const hn::Half<D> half;
      const int64_t first = hn::MaxLanes(d) % kSums == 0 ? 0 : i;
      const int64_t second = first + static_cast<int64_t>(kWide);
      SumOf(first) = hn::Add(SumOf(first),
                             hn::PromoteTo(WideTag(), hn::LowerHalf(half, v)));
      SumOf(second) = hn::Add(SumOf(second),
                              hn::PromoteTo(WideTag(), hn::UpperHalf(half, v)));
#endif
    }
  }

  // Adds products.
  HWY_INLINE void AddProduct(int64_t i, hn::Vec<WideTag> a,
                             hn::Vec<WideTag> b) {
    SumOf(i) = hn::MulAdd(a, b, SumOf(i));
  }

  HWY_INLINE double Total() const {
    HWY_ALIGN double sums[kSums];
    for (size_t k = 0; k < kSums; k += kWide) {
      hn::Store(sums_[k / kWide], WideTag(), sums + k);
    }
    return ((sums[0] + sums[4]) + (sums[2] + sums[6])) +
           ((sums[1] + sums[5]) + (sums[3] + sums[7]));
  }

 private:
  static constexpr size_t kSums = 8;
  static constexpr size_t kWide =
      HWY_MIN(kSums, HWY_MAX_BYTES / sizeof(double));

  HWY_INLINE hn::Vec<WideTag>& SumOf(int64_t i) {
    return sums_[static_cast<size_t>(i) % kSums / kWide];
  }

  hn::Vec<WideTag> sums_[kSums / kWide] = {};
};

template <class D>
HWY_INLINE auto Widen(D, hn::Vec<D> v) {
  if constexpr (sizeof(hn::TFromD<D>) == 8) {
    return v;
  } else {
    return hn::PromoteTo(hn::Rebind<double, D>(), v);
  }
}

// Calls body(first element, count) for each part of a row: whole vectors, then
// the remainder.
template <class D, class Body>
HWY_INLINE void ForParts(D d, int64_t count, const Body& body) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) body(i, lanes);
  if (i < count) body(i, count - i);
}

// Loads a vector; elements past the row's end are `rest`.
template <class D, typename T>
HWY_INLINE hn::Vec<D> LoadPart(D d, const T* from, int64_t count, T rest) {
  if (count == static_cast<int64_t>(hn::Lanes(d))) return hn::LoadU(d, from);
#if HWY_MEM_OPS_MIGHT_FAULT
  HWY_ALIGN T part[HWY_MAX_BYTES / sizeof(T)];
  hn::Store(hn::Set(d, rest), d, part);
  for (int64_t i = 0; i < count; ++i) part[i] = from[i];
  return hn::Load(d, part);
#else
  const auto inside = hn::FirstN(d, static_cast<size_t>(count));
  const auto loaded = hn::MaskedLoad(inside, d, from);
  return hn::IfThenElse(inside, loaded, hn::Set(d, rest));
#endif
}

template <class D, typename T>
HWY_INLINE void StorePart(D d, hn::Vec<D> v, T* to, int64_t count) {
  if (count == static_cast<int64_t>(hn::Lanes(d))) return hn::StoreU(v, d, to);
#if HWY_MEM_OPS_MIGHT_FAULT
  HWY_ALIGN T part[HWY_MAX_BYTES / sizeof(T)];
  hn::Store(v, d, part);
  for (int64_t i = 0; i < count; ++i) to[i] = part[i];
#else
  hn::BlendedStore(v, hn::FirstN(d, static_cast<size_t>(count)), d, to);
#endif
}

// Loads a vector with zeros past the row's end.
template <class D>
HWY_INLINE hn::Vec<D> InPart(D d, int64_t count, hn::Vec<D> v) {
  if (count == static_cast<int64_t>(hn::Lanes(d))) return v;
  return hn::IfThenElseZero(hn::FirstN(d, static_cast<size_t>(count)), v);
}

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
