// The 16-bit floating types: bfloat16 (8 exponent bits) and float16 (5).
//
//   BFloat16(1.00390625f)               // 1: a tie goes to the even neighbour
//   static_cast<float>(BFloat16(3.0))   // 3: every BFloat16 is a float
//   Float16(65520.0)                    // infinity; Float16(65504.0) is finite
//   BFloat16(256) + BFloat16(1)         // 256: rounded after each operation
//
// A conversion from any type rounds once, to nearest and ties to even;
// subnormal numbers, infinities and signed zeros are kept, and NaN stays NaN.
// Arithmetic is that of float, rounded.
#ifndef LOCKSTEP_REFERENCE_TENSOR_NARROW_FLOAT_H_
#define LOCKSTEP_REFERENCE_TENSOR_NARROW_FLOAT_H_

#include <algorithm>
#include <bit>
#include <compare>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace lockstep {

namespace tensor_internal {

// An integer as a double. An integer beyond 2^53 loses bits; the last bit is
// then set (a sticky bit), which suffices to round correctly to fewer bits.
template <typename T>
requires std::is_integral_v<T>
constexpr double RoundToOdd(T value) {
  constexpr int64_t kExact = int64_t{1} << 53;
  if constexpr (sizeof(T) < sizeof(int64_t)) {
    return static_cast<double>(value);
  } else {
    static_assert(std::is_signed_v<T>);
    if (-kExact <= value && value <= kExact) return static_cast<double>(value);
    const T high = (value >> 11) | ((value & 2047) != 0);
    return static_cast<double>(high) * 2048;
  }
}

// A double as a float in the same way: of two neighbours the odd one.
constexpr float RoundToOdd(double value) {
  const float nearest = static_cast<float>(value);
  const auto bits = std::bit_cast<uint32_t>(nearest);
  const double back = nearest;
  if (back == value || value != value || (bits & 1) != 0) return nearest;
  const bool too_long = value < 0 ? back < value : back > value;
  return std::bit_cast<float>(too_long ? bits - 1 : bits + 1);
}

constexpr float RoundToOdd(float value) { return value; }

}  // namespace tensor_internal

template <int kExponentBits>
class NarrowFloat {
 public:
  NarrowFloat() = default;
  template <typename T>
  requires std::is_arithmetic_v<T>
  explicit constexpr NarrowFloat(T value) {
    using tensor_internal::RoundToOdd;
    if constexpr (std::is_integral_v<T>) {
      bits_ = Round(RoundToOdd(RoundToOdd(value)));
    } else {
      bits_ = Round(RoundToOdd(value));
    }
  }
  template <int kOtherExponentBits>
  requires(kOtherExponentBits != kExponentBits) explicit constexpr NarrowFloat(
      NarrowFloat<kOtherExponentBits> value)
      : NarrowFloat(static_cast<float>(value)) {}

  constexpr uint16_t bits() const { return bits_; }
  template <typename T>
  requires std::is_arithmetic_v<T>
  explicit constexpr operator T() const { return static_cast<T>(Widen(bits_)); }

  friend constexpr NarrowFloat operator+(NarrowFloat a, NarrowFloat b) {
    return NarrowFloat(Widen(a.bits_) + Widen(b.bits_));
  }
  friend constexpr NarrowFloat operator-(NarrowFloat a, NarrowFloat b) {
    return NarrowFloat(Widen(a.bits_) - Widen(b.bits_));
  }
  friend constexpr NarrowFloat operator/(NarrowFloat a, NarrowFloat b) {
    return NarrowFloat(Widen(a.bits_) / Widen(b.bits_));
  }
  // As numbers: NaN is not equal to itself, the zeros are equal.
  friend constexpr bool operator==(NarrowFloat a, NarrowFloat b) {
    return Widen(a.bits_) == Widen(b.bits_);
  }
  friend constexpr std::partial_ordering operator<=>(NarrowFloat a,
                                                     NarrowFloat b) {
    return Widen(a.bits_) <=> Widen(b.bits_);
  }

 private:
  static constexpr int kFractionBits = 15 - kExponentBits;
  static constexpr int kShift =
      23 - kFractionBits;  // additional bits of a float
  static constexpr int kBias = (1 << (kExponentBits - 1)) - 1;
  static constexpr uint32_t kRebias = (127 - kBias) << 23;
  static constexpr uint32_t kInfinity = 0x7fff >> kFractionBits
                                                      << kFractionBits;
  static constexpr uint32_t kFloatInfinity = 0x7f800000;

  static constexpr float PowerOfTwo(int exponent) {
    return std::bit_cast<float>(static_cast<uint32_t>(exponent + 127) << 23);
  }

  static constexpr uint16_t Round(float value) {
    const auto bits = std::bit_cast<uint32_t>(value);
    const uint32_t sign = bits >> 16 & 0x8000;
    const uint32_t magnitude = bits & 0x7fffffff;
    if (magnitude > kFloatInfinity) {
      constexpr uint32_t kQuiet = 1 << (kFractionBits - 1);
      const uint32_t payload = (magnitude - kFloatInfinity) >> kShift;
      return static_cast<uint16_t>(sign | kInfinity | kQuiet | payload);
    }
    return static_cast<uint16_t>(sign | RoundMagnitude(magnitude));
  }

  static constexpr uint32_t RoundMagnitude(uint32_t magnitude) {
    if constexpr (kExponentBits < 8) {
      if (magnitude < std::bit_cast<uint32_t>(PowerOfTwo(1 - kBias))) {
        // The last place of this sum is the unit of subnormal numbers.
        constexpr float kAnchor = PowerOfTwo(24 - kBias - kFractionBits);
        return std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) +
                                       kAnchor) -
               std::bit_cast<uint32_t>(kAnchor);
      }
    }
    const uint32_t rebiased = magnitude - kRebias;
    const uint32_t odd = rebiased >> kShift & 1;
    const uint32_t below_half = (1 << (kShift - 1)) - 1;
    return std::min((rebiased + below_half + odd) >> kShift, kInfinity);
  }

  static constexpr float Widen(uint16_t bits) {
    const uint32_t sign = (bits & 0x8000u) << 16;
    const uint32_t magnitude = bits & 0x7fffu;
    uint32_t wide = (magnitude << kShift) + kRebias;
    if constexpr (kExponentBits < 8) {
      if (magnitude >= kInfinity) {
        wide = kFloatInfinity + ((magnitude - kInfinity) << kShift);
      } else if (magnitude >> kFractionBits == 0) {
        wide = std::bit_cast<uint32_t>(static_cast<float>(magnitude) *
                                       PowerOfTwo(1 - kBias - kFractionBits));
      }
    }
    return std::bit_cast<float>(sign | wide);
  }

  uint16_t bits_;
};

using BFloat16 = NarrowFloat<8>;
using Float16 = NarrowFloat<5>;

template <typename T>
inline constexpr bool kIsNarrowFloat =
    std::is_same_v<T, BFloat16> || std::is_same_v<T, Float16>;
// float, double or a 16-bit float.
template <typename T>
inline constexpr bool kIsFloat =
    std::is_floating_point_v<T> || kIsNarrowFloat<T>;
// std::is_arithmetic_v (including bool), or a 16-bit float.
template <typename T>
inline constexpr bool kIsNumber = std::is_arithmetic_v<T> || kIsNarrowFloat<T>;

namespace tensor_internal {

template <typename To, typename From>
constexpr To Truncate(From value) {
  using Limits = std::numeric_limits<To>;
  // Powers of two (or 0), exact in every floating type.
  constexpr From kLowest = static_cast<From>(Limits::min());
  constexpr From kTooLarge = static_cast<From>(Limits::max() / 2 + 1) * 2;
  if (value != value) return To{0};
  if (value <= kLowest) return Limits::min();
  if (value >= kTooLarge) return Limits::max();
  return static_cast<To>(value);
}

}  // namespace tensor_internal

// Converts one element as Tensor::Cast does.
//
//   CastNumber<int32_t>(-2.9f)   // -2: towards 0
//   CastNumber<uint8_t>(300.0)   // 255, and -1.0 gives 0: the nearest value
//   CastNumber<int32_t>(NaN)     // 0; bool is 0 or 1
//   CastNumber<BFloat16>(x)      // rounded once, to nearest and ties to even
//   CastNumber<int32_t>(int64_t{1} << 32)   // 0: the lowest bits of an integer
//
// In C++ the result of a floating-point number out of an integer type's range
// is undefined, and processors differ.
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

// The type in which kernels compute elements of this type: float for bfloat16.
template <typename T>
using ComputeType = std::conditional_t<std::is_same_v<T, BFloat16>, float, T>;

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_TENSOR_NARROW_FLOAT_H_
