// Loops over one row as vectors, with sums in float64 that do not depend on the
// number of a vector's lanes. Include inside foreach_target.
//
//   LaneSums sums;
//   ForParts(d, count, [&](int64_t i, int64_t n) HWY_ATTR {
//     sums.Add(d, i, LoadPart(d, x + i, n, 0.0f));
//   });
//   double sum = sums.Total();
#if defined(LOCKSTEP_REFERENCE_KERNELS_CPU_ROW_PARTS_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef HWY_TARGET_TOGGLE
#undef LOCKSTEP_REFERENCE_KERNELS_CPU_ROW_PARTS_INL_H_
#else
#define LOCKSTEP_REFERENCE_KERNELS_CPU_ROW_PARTS_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace lockstep::kernels_internal::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

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

  // Adds the same of doubles, and products.
  HWY_INLINE void AddWide(int64_t i, hn::Vec<WideTag> v) {
    SumOf(i) = hn::Add(SumOf(i), v);
  }
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

}  // namespace lockstep::kernels_internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // LOCKSTEP_REFERENCE_KERNELS_CPU_ROW_PARTS_INL_H_
