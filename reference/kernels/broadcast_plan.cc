#include "reference/kernels/broadcast_plan.h"

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

namespace lockstep::kernels_internal {
namespace {

using Strides = std::array<int64_t, Shape::kMaxRank>;

// Strides of `shape` as an array of `rank` axes; 0 along axes that are
// broadcast.
Strides RepeatingStrides(const Shape& shape, int rank) {
  Strides strides{};
  int64_t stride = 1;
  for (int i = 1; i <= shape.rank(); ++i) {
    const int64_t size = shape[shape.rank() - i];
    strides[rank - i] = size == 1 ? 0 : stride;
    stride *= size;
  }
  return strides;
}

}  // namespace

BroadcastPlan::BroadcastPlan(const Shape& out, const Shape& a, const Shape& b) {
  const Strides a_strides = RepeatingStrides(a, out.rank());
  const Strides b_strides = RepeatingStrides(b, out.rank());
  for (int i = 0; i < out.rank(); ++i) {
    if (out[i] != 1) Append({out[i], a_strides[i], b_strides[i]});
  }
  if (rank_ == 0) Append({1, 0, 0});
  for (int i = 0; i < rank_ - 1; ++i) rows_ *= axes_[i].size;
}

void BroadcastPlan::Append(const Axis& axis) {
  if (rank_ > 0) {
    Axis& last = axes_[rank_ - 1];
    if (last.a == axis.a * axis.size && last.b == axis.b * axis.size) {
      last = {last.size * axis.size, axis.a, axis.b};
      return;
    }
  }
  axes_[rank_++] = axis;
}

}  // namespace lockstep::kernels_internal
