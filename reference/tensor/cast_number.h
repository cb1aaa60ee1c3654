// One element's number in another type, as Tensor::Cast converts it.
//
//   CastNumber<int32_t>(-2.9f)     // -2: towards 0
//   CastNumber<uint8_t>(300.0)     // 255, and -1.0 gives 0: the nearest there is
//   CastNumber<int32_t>(NaN)       // 0, and bool counts as 0 and 1
//   CastNumber<BFloat16>(x)        // rounded once, to nearest and ties to even
//   CastNumber<int32_t>(int64_t{1} << 32)   // 0: the lowest bits of an integer
//
// C++ leaves open what a floating number gives that an integer type has no room
// for, and processors differ.
#ifndef LOCKSTEP_REFERENCE_TENSOR_CAST_NUMBER_H_
#define LOCKSTEP_REFERENCE_TENSOR_CAST_NUMBER_H_

#include <limits>
#include <type_traits>

#include "reference/tensor/narrow_float.h"

namespace lockstep {

namespace tensor_internal {

template <typename To, typename From>
constexpr To Truncate(From value) {
  using Limits = std::numeric_limits<To>;
  // Powers of two (or 0), which every floating type has.
  constexpr From kLowest = static_cast<From>(Limits::min());
  constexpr From kTooLarge = static_cast<From>(Limits::max() / 2 + 1) * 2;
  if (value != value) return To{0};
  if (value <= kLowest) return Limits::min();
  if (value >= kTooLarge) return Limits::max();
  return static_cast<To>(value);
}

}  // namespace tensor_internal

template <typename To, typename From>
requires(kIsNumber<To>&& kIsNumber<From>) constexpr To CastNumber(From value) {
  constexpr bool kToInteger =
      std::is_integral_v<To> && !std::is_same_v<To, bool>;
  if constexpr (kToInteger && kIsNarrowFloat<From>) {
    return tensor_internal::Truncate<To>(static_cast<float>(value));
  } else if constexpr (kToInteger && kIsFloat<From>) {
    return tensor_internal::Truncate<To>(value);
  } else {
    return static_cast<To>(value);
  }
}

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_TENSOR_CAST_NUMBER_H_
