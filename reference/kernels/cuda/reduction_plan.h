// The order of additions in every long sum on a GPU.
//
// Lane l of L adds elements l, l + L, l + 2 L... in order. Then the upper half
// of the lanes is added to the lower half until one lane is left. Longer sums
// are divided into pieces, each summed like this, and so are the pieces' sums.
// The numbers of lanes and pieces depend on the shapes only, never on the GPU.
#ifndef LOCKSTEP_REFERENCE_KERNELS_CUDA_REDUCTION_PLAN_H_
#define LOCKSTEP_REFERENCE_KERNELS_CUDA_REDUCTION_PLAN_H_

#include <cstdint>

#include "reference/kernels/cuda/strided_offset.h"

namespace lockstep::cuda {

// Lanes of a sum over contiguous elements, which one block computes.
inline constexpr int kRowLanes = 256;
// Lanes per sum when a block computes a tile of neighbouring sums.
inline constexpr int kColumnLanes = 8;
// Lanes of the sum of pieces, of which a lane adds at most 8.
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
// The plan, and so the order of additions, depends on the shapes only:
// kRowLanes per piece if contiguous elements are summed, else kColumnLanes, and
// kPieceLanes for the pieces.
struct ReductionPlan {
  StridedAxes kept;    // one sum per element of these axes
  StridedAxes summed;  // summed over these axes
  // The length of a sum's pieces, of which there are at most kMostPieces.
  int64_t piece;
  int64_t pieces;
  // Whether the fastest axis is summed, so that neighbouring threads share a
  // sum.
  bool along_rows;
};

// `kept` is the shape of x with 1 along the summed axes. REQUIRES: x is not
// empty.
ReductionPlan PlanReduction(const Shape& x, const Shape& kept);

}  // namespace cuda

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_KERNELS_CUDA_REDUCTION_PLAN_H_
