// The order of additions in every long sum on a GPU.
//
// A sum's elements are dealt to lanes in turn: lane l of L adds elements l,
// l + L, l + 2 L... one behind the other. Then the lanes are added, the upper
// half to the lower one, until one is left. Longer sums are divided into pieces,
// each of which is such a sum, and so is the sum of the pieces. How many lanes
// and pieces there are depends on the shapes alone: never on the GPU.
#ifndef LOCKSTEP_REFERENCE_KERNELS_CUDA_SUM_LANES_H_
#define LOCKSTEP_REFERENCE_KERNELS_CUDA_SUM_LANES_H_

namespace lockstep::cuda {

// Of a sum over neighbours, which a block adds up together.
inline constexpr int kRowLanes = 256;
// Of each of some sums that lie side by side, which a block adds up as a tile.
inline constexpr int kColumnLanes = 8;
// Of the sum of pieces; there are so few pieces that a lane adds 8 at most.
inline constexpr int kPieceLanes = 32;
inline constexpr int kMostPieces = 8 * kPieceLanes;

}  // namespace lockstep::cuda

#endif  // LOCKSTEP_REFERENCE_KERNELS_CUDA_SUM_LANES_H_
