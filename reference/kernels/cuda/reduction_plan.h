// How a GPU divides the sums of reduce.h among its threads.
//
//   PlanReduction(Shape{64, 10}, Shape{1, 10});
//   // kept 10 x 1, summed 64 x 10, by columns: one piece, 8 lanes a column
//
// The plan depends on the shapes alone, never on the GPU, and with it the order
// of additions (sum_lanes.h): kRowLanes of each piece where neighbours are
// summed, else kColumnLanes, and kPieceLanes of the pieces.
#ifndef LOCKSTEP_REFERENCE_KERNELS_CUDA_REDUCTION_PLAN_H_
#define LOCKSTEP_REFERENCE_KERNELS_CUDA_REDUCTION_PLAN_H_

#include <cstdint>

#include "reference/kernels/cuda/strided_offset.h"

namespace lockstep {

class Shape;

namespace cuda {

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
