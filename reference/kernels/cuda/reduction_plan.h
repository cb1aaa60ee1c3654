// The order of additions in every long sum on a GPU.
//
// A sum's elements are dealt to lanes in turn: lane l of L adds elements l,
// l + L, l + 2 L... one behind the other. Then the lanes are added, the upper
// half to the lower one, until one is left. Longer sums are divided into
// pieces, each of which is such a sum, and so is the sum of the pieces. How
// many lanes and pieces there are depends on the shapes alone: never on the
// GPU.
#ifndef LOCKSTEP_REFERENCE_KERNELS_CUDA_REDUCTION_PLAN_H_
#define LOCKSTEP_REFERENCE_KERNELS_CUDA_REDUCTION_PLAN_H_

#include <cstdint>

#include "reference/kernels/cuda/strided_offset.h"

namespace lockstep::cuda {

// Of a sum over neighbours, which a block adds up together.
inline constexpr int kRowLanes = 256;
// Of each of some sums that lie side by side, which a block adds up as a tile.
inline constexpr int kColumnLanes = 8;
// Of the sum of pieces; there are so few pieces that a lane adds 8 at most.
inline constexpr int kPieceLanes = 32;
inline constexpr int kMostPieces = 8 * kPieceLanes;

}  // namespace lockstep::cuda

namespace lockstep {

class Shape;

namespace cuda {

// How a GPU divides the sums of reduce.h among its threads.
//
//   PlanReduction(Shape{64, 10}, Shape{1, 10});
//   // kept 10 x 1, summed 64 x 10, by columns: one piece, 8 lanes a column
//
// The plan depends on the shapes alone, never on the GPU, and with it the order
// of additions (above): kRowLanes of each piece where neighbours are
// summed, else kColumnLanes, and kPieceLanes of the pieces.
struct ReductionPlan {
  StridedAxes kept;    // one sum for each element of these
  StridedAxes summed;  // over all of these
  // The elements of a sum are divided into pieces of this many; there are
  // kMostPieces at most.
  int64_t piece;
  int64_t pieces;
  // The fastest axis is summed: neighbouring threads share a sum.
  bool along_rows;
};

// `kept` is the shape of x with 1 along the summed axes.
// REQUIRES: x has elements.
ReductionPlan PlanReduction(const Shape& x, const Shape& kept);

}  // namespace cuda

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_KERNELS_CUDA_REDUCTION_PLAN_H_
