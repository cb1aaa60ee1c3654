#include "reference/kernels/windows.h"

#include <algorithm>

#include "reference/base/error.h"

namespace lockstep::kernels {

Windows PlaceWindows(std::string_view operation, int64_t input, int64_t window,
                     int64_t stride, Padding padding) {
  if (window < 1 || stride < 1) {
    throw InvalidArgument(
        "[{}] windows and strides must be at least 1, got window {}, stride {}",
        operation, window, stride);
  }
  if (padding == Padding::kSame) {
    if (input == 0) return {0, 0, 0};
    const int64_t count = (input + stride - 1) / stride;
    const int64_t total =
        std::max<int64_t>((count - 1) * stride + window - input, 0);
    return {count, total / 2, total - total / 2};
  }
  if (window > input) {
    throw InvalidArgument("[{}] a window of {} does not fit into {} elements",
                          operation, window, input);
  }
  return {(input - window) / stride + 1, 0, 0};
}

}  // namespace lockstep::kernels

namespace lockstep::kernels_internal {

PoolShape MakePoolShape(const char* operation, const Shape& x,
                        const kernels::Pool2DOptions& options) {
  if (x.rank() != 4) {
    throw InvalidArgument("[{}] x must have rank 4, got {}", operation,
                          ToString(x));
  }
  const auto place = [&](int i) {
    return kernels::PlaceWindows(operation, x[i + 1], options.pool[i],
                                 options.strides[i], options.padding);
  };
  return {x[1], x[2], x[3], place(0), place(1), options.pool, options.strides};
}

}  // namespace lockstep::kernels_internal
