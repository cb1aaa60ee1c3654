// One row of a softmax.
#ifndef LOCKSTEP_REFERENCE_KERNELS_CPU_SOFTMAX_ROW_H_
#define LOCKSTEP_REFERENCE_KERNELS_CPU_SOFTMAX_ROW_H_

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace lockstep::kernels_internal {

// Writes exp(x) / sum(exp(x)) to y and returns log(sum(exp(x))). The largest
// element is taken off first, so that nothing overflows. REQUIRES: count >= 1.
template <typename T>
double SoftmaxRow(const T* x, T* y, int64_t count) {
  const T top = *std::max_element(x, x + count);
  double sum = 0;
  for (int64_t i = 0; i < count; ++i) {
    y[i] = std::exp(x[i] - top);
    sum += y[i];
  }
  const T scale = static_cast<T>(1 / sum);
  for (int64_t i = 0; i < count; ++i) y[i] *= scale;
  return static_cast<double>(top) + std::log(sum);
}

// Rows worth waking a thread for when each has `count` elements.
inline int64_t SoftmaxGrain(int64_t count) { return 4096 / (count + 1) + 1; }

}  // namespace lockstep::kernels_internal

#endif  // LOCKSTEP_REFERENCE_KERNELS_CPU_SOFTMAX_ROW_H_
