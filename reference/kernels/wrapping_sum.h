// a + b and a - b as tensors' elements are added, on the host as on a GPU.
#ifndef LOCKSTEP_REFERENCE_KERNELS_WRAPPING_SUM_H_
#define LOCKSTEP_REFERENCE_KERNELS_WRAPPING_SUM_H_

#include <type_traits>

namespace lockstep::kernels_internal {

// Integers wrap around; 16-bit floats are added in float32 and rounded once.
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

}  // namespace lockstep::kernels_internal

#endif  // LOCKSTEP_REFERENCE_KERNELS_WRAPPING_SUM_H_
