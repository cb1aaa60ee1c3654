// Loads and stores vectors of floats in memory of float32 or bfloat16. Include
// inside foreach_target.
//
//   const auto x = LoadFloats(d, from + i);       // from: float or BFloat16
//   StoreFloats(hn::Add(x, x), d, to + i);        // rounds as BFloat16 does
#if defined(LOCKSTEP_REFERENCE_TENSOR_FLOAT_LANES_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef HWY_TARGET_TOGGLE
#undef LOCKSTEP_REFERENCE_TENSOR_FLOAT_LANES_INL_H_
#else
#define LOCKSTEP_REFERENCE_TENSOR_FLOAT_LANES_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>

#include "reference/tensor/narrow_float.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep::tensor_internal::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class D, typename T>
HWY_INLINE hn::Vec<D> LoadFloats(D d, const T* from) {
  return hn::LoadU(d, from);
}

template <class D>
HWY_INLINE hn::Vec<D> LoadFloats(D d, const BFloat16* from) {
  const hn::Rebind<uint16_t, D> narrow;
  const hn::RebindToUnsigned<D> wide;
  const auto bits = hn::LoadU(narrow, reinterpret_cast<const uint16_t*>(from));
  return hn::BitCast(d, hn::ShiftLeft<16>(hn::PromoteTo(wide, bits)));
}

template <class V, class D, typename T>
HWY_INLINE void StoreFloats(V values, D d, T* to) {
  hn::StoreU(values, d, to);
}

// To nearest, ties to even; a NaN keeps the upper bits of its payload.
template <class V, class D>
HWY_INLINE void StoreFloats(V values, D /*d*/, BFloat16* to) {
  const hn::Rebind<uint16_t, D> narrow;
  const hn::RebindToUnsigned<D> wide;
  const hn::RebindToSigned<D> to_demote;
  const auto bits = hn::BitCast(wide, values);
  const auto high = hn::ShiftRight<16>(bits);
  const auto odd = hn::And(high, hn::Set(wide, 1));
  const auto rounded =
      hn::ShiftRight<16>(hn::Add(bits, hn::Add(odd, hn::Set(wide, 0x7fff))));
  const auto quiet = hn::Or(high, hn::Set(wide, 0x40));
  const auto is_nan = hn::RebindMask(wide, hn::IsNaN(values));
  const auto result = hn::IfThenElse(is_nan, quiet, rounded);
  hn::StoreU(hn::DemoteTo(narrow, hn::BitCast(to_demote, result)), narrow,
             reinterpret_cast<uint16_t*>(to));
}

}  // namespace lockstep::tensor_internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // LOCKSTEP_REFERENCE_TENSOR_FLOAT_LANES_INL_H_
