#include "reference/kernels/cpu/broadcast_plan.h"

namespace lockstep::kernels_internal {
namespace {

using Strides = std::array<int64_t, Shape::kMaxRank>;

// Strides of `shape` seen as an array of `rank` axes; 0 where it repeats.
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
