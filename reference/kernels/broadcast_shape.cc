#include "reference/kernels/broadcast_shape.h"

#include <algorithm>

#include "reference/base/error.h"

namespace lockstep::kernels {

Shape BroadcastShape(std::string_view operation, const Shape& a,
                     const Shape& b) {
  Shape result = a.rank() >= b.rank() ? a : b;
  for (int i = 1; i <= std::min(a.rank(), b.rank()); ++i) {
    const int64_t x = a[a.rank() - i];
    const int64_t y = b[b.rank() - i];
    if (x != y && x != 1 && y != 1) {
      throw InvalidArgument("[{}] shapes {} and {} do not broadcast", operation,
                            ToString(a), ToString(b));
    }
    result = result.WithDim(result.rank() - i, x == 1 ? y : x);
  }
  return result;
}

}  // namespace lockstep::kernels
