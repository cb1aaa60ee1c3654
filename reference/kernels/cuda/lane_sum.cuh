// Sums by the threads of a block, in the order of reduction_plan.h.
//
//   LaneSum<kRowLanes>(begin, end, [=](int64_t i) { return x[i]; });
#ifndef LOCKSTEP_REFERENCE_KERNELS_CUDA_LANE_SUM_CUH_
#define LOCKSTEP_REFERENCE_KERNELS_CUDA_LANE_SUM_CUH_

#include "reference/device/cuda/for_each.cuh"
#include "reference/kernels/cuda/reduction_plan.h"

namespace lockstep::cuda {

// The number of sums that a block computes at once, each in kLanes lanes.
// Thread t belongs to sum t % kTileSums<kLanes>.
template <int kLanes>
inline constexpr int kTileSums =
    kLanes < kThreadsPerBlock ? kThreadsPerBlock / kLanes : 1;

// Whether this thread stores its sum.
template <int kLanes>
__device__ bool IsFirstLane() {
  return threadIdx.x < kTileSums<kLanes>;
}

// The sum of term(i) for begin <= i < end, returned to all threads of a sum,
// which must pass the same range. REQUIRES: all threads of the block call it;
// terms support += and {} is zero.
template <int kLanes, class Term>
__device__ auto LaneSum(int64_t begin, int64_t end, const Term& term) {
  using Sum = decltype(term(begin));
  constexpr int kTile = kTileSums<kLanes>;
  // A block with fewer threads than lanes loops.
  constexpr int kLanesAtOnce = kThreadsPerBlock / kTile;
  static_assert(kLanes % kLanesAtOnce == 0);
  __shared__ Sum lanes[kLanes][kTile];
  const int sum = static_cast<int>(threadIdx.x) % kTile;
  const int first = static_cast<int>(threadIdx.x) / kTile;
  for (int lane = first; lane < kLanes; lane += kLanesAtOnce) {
    Sum mine{};
    for (int64_t i = begin + lane; i < end; i += kLanes) mine += term(i);
    lanes[lane][sum] = mine;
  }
  __syncthreads();
  for (int half = kLanes / 2; half > 0; half /= 2) {
    for (int lane = first; lane < half; lane += kLanesAtOnce) {
      lanes[lane][sum] += lanes[lane + half][sum];
    }
    __syncthreads();
  }
  const Sum result = lanes[0][sum];
  __syncthreads();  // before lanes are written again
  return result;
}

}  // namespace lockstep::cuda

#endif  // LOCKSTEP_REFERENCE_KERNELS_CUDA_LANE_SUM_CUH_
