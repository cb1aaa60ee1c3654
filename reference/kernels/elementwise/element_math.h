// Functions of one element for kernels on the host and on GPUs: nvcc lets GPU
// code call constexpr functions.
#ifndef LOCKSTEP_REFERENCE_KERNELS_ELEMENTWISE_ELEMENT_MATH_H_
#define LOCKSTEP_REFERENCE_KERNELS_ELEMENTWISE_ELEMENT_MATH_H_

#include <cmath>
#include <cstdint>
#include <type_traits>

namespace lockstep::kernels_internal {

// a + b and a - b. Integers wrap around; 16-bit floats are added in float32 and
// rounded once.
template <typename T>
constexpr T WrappingAdd(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
  } else {
    return a + b;
  }
}

template <typename T>
constexpr T WrappingSubtract(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<U>(a) - static_cast<U>(b));
  } else {
    return a - b;
  }
}

// The weights of elements that are given per row.
//
// Element i weighs weights[i / elements_each], or 1 for nullptr.
struct ElementWeights {
  const float* weights;
  int64_t elements_each;

  constexpr double At(int64_t i) const {
    return weights == nullptr ? 1.0 : weights[i / elements_each];
  }
};

// Ordered by the types they apply to.
enum class UnaryOp {
  kNegate,
  kAbs,
  kSquare,
  kSign,
  // For floating types only:
  kSqrt,
  kRelu,
  // Exponential functions:
  kExp,
  kLog,
  kSigmoid,
  kTanh,
};

constexpr bool IsForFloats(UnaryOp op) { return op >= UnaryOp::kSqrt; }
constexpr bool IsExponential(UnaryOp op) { return op >= UnaryOp::kExp; }

enum class BinaryOp { kAdd, kSubtract, kMultiply, kDivide };

// Integers wrap around, as two's complement does.
template <typename T>
constexpr T IntegerUnary(UnaryOp op, T x) {
  using U = std::make_unsigned_t<T>;
  const U bits = static_cast<U>(x);
  switch (op) {
    case UnaryOp::kNegate:
      return static_cast<T>(U{0} - bits);
    case UnaryOp::kAbs:
      return static_cast<T>(x < 0 ? U{0} - bits : bits);
    case UnaryOp::kSquare:
      return static_cast<T>(bits * bits);
    default:
      return static_cast<T>((x > 0) - (x < 0));  // kSign
  }
}

// exp of negative numbers only, so that infinity is never divided by infinity.
template <typename T>
constexpr T SigmoidOf(T x) {
  const T e = std::exp(-std::abs(x));
  return x < 0 ? e / (1 + e) : 1 / (1 + e);
}

}  // namespace lockstep::kernels_internal

namespace lockstep::cuda {

// The functions of a GPU's elementwise kernels.
//
// The host's kernels use vectors for floating numbers instead. Tests compare
// both: bits must be equal, except for exponential functions.
using kernels_internal::BinaryOp;
using kernels_internal::IntegerUnary;
using kernels_internal::SigmoidOf;
using kernels_internal::UnaryOp;

template <typename T>
constexpr T FloatingUnary(UnaryOp op, T x) {
  switch (op) {
    case UnaryOp::kNegate:
      return -x;
    case UnaryOp::kAbs:
      return std::abs(x);
    case UnaryOp::kSquare:
      return x * x;
    case UnaryOp::kSign:
      return x > 0 ? T{1} : x < 0 ? T{-1} : x;  // zeros and NaN are unchanged
    case UnaryOp::kSqrt:
      return std::sqrt(x);
    case UnaryOp::kExp:
      return std::exp(x);
    case UnaryOp::kLog:
      return std::log(x);
    case UnaryOp::kSigmoid:
      return SigmoidOf(x);
    case UnaryOp::kTanh:
      return std::tanh(x);
    default:
      return x <= 0 ? T{0} : x;  // kRelu; max would lose NaN
  }
}

template <typename T>
constexpr T Apply(UnaryOp op, T x) {
  if constexpr (std::is_integral_v<T>) {
    return IntegerUnary(op, x);
  } else {
    return FloatingUnary(op, x);
  }
}

// Integers wrap around and are never divided.
template <typename T>
constexpr T Apply(BinaryOp op, T a, T b) {
  // clang 14 needs the `typename`.
  using U =
      typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>,
                                  std::type_identity<T>>::type;
  const U x = static_cast<U>(a);
  const U y = static_cast<U>(b);
  switch (op) {
    case BinaryOp::kAdd:
      return static_cast<T>(x + y);
    case BinaryOp::kSubtract:
      return static_cast<T>(x - y);
    case BinaryOp::kMultiply:
      return static_cast<T>(x * y);
    default:
      if constexpr (std::is_floating_point_v<T>) return x / y;  // kDivide
      return T{0};
  }
}

template <typename T>
constexpr T ReluGradient(T y, T dy) {
  return y > 0 ? dy : T{0};
}

template <typename T>
constexpr T ClipOf(T x, T low, T high) {
  return x < low ? low : x > high ? high : x;
}

template <typename T>
constexpr T ClipGradient(T x, T dy, T low, T high) {
  return x >= low && x <= high ? dy : T{0};
}

}  // namespace lockstep::cuda

#endif  // LOCKSTEP_REFERENCE_KERNELS_ELEMENTWISE_ELEMENT_MATH_H_
