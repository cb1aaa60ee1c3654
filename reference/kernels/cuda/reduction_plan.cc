#include "reference/kernels/cuda/reduction_plan.h"

#include <algorithm>

#include "reference/tensor/shape.h"

namespace lockstep::cuda {
namespace {

constexpr int64_t kWantedThreads = 1 << 17;  // fills a large GPU
// The shortest pieces: a few elements per lane.
constexpr int64_t kShortestColumn = 8 * kColumnLanes;
constexpr int64_t kShortestRow = 16 * kRowLanes;

// Appends an axis, or extends the last one if the two are contiguous.
void Append(StridedAxes& axes, int64_t size, int64_t stride) {
  if (axes.rank > 0) {
    const int last = axes.rank - 1;
    if (axes.strides[last] == size * stride) {
      axes.sizes[last] *= size;
      axes.strides[last] = stride;
      return;
    }
  }
  axes.Append(size, stride);
}

int64_t PieceLength(int64_t count, int64_t sums, bool along_rows) {
  const int64_t threads = sums * (along_rows ? kRowLanes : kColumnLanes);
  const int64_t wanted = std::clamp<int64_t>(
      kWantedThreads / std::max<int64_t>(threads, 1), 1, kMostPieces);
  const int64_t shortest = along_rows ? kShortestRow : kShortestColumn;
  return std::max((count + wanted - 1) / wanted, shortest);
}

}  // namespace

ReductionPlan PlanReduction(const Shape& x, const Shape& kept) {
  ReductionPlan plan{};
  int64_t stride = x.num_elements();
  bool summed_last = false;
  for (int axis = 0; axis < x.rank(); ++axis) {
    stride /= x[axis];
    if (x[axis] == 1) continue;
    summed_last = kept[axis] != x[axis];
    Append(summed_last ? plan.summed : plan.kept, x[axis], stride);
  }
  const int64_t count = plan.summed.count();
  plan.along_rows = summed_last;
  plan.piece = PieceLength(count, plan.kept.count(), plan.along_rows);
  plan.pieces = (count + plan.piece - 1) / plan.piece;
  return plan;
}

}  // namespace lockstep::cuda
