#include "reference/device/cuda/for_each.cuh"
#include "reference/kernels/cuda/lane_sum.cuh"
#include "reference/kernels/optimizer/cuda/for_each_element.cuh"
#include "reference/kernels/optimizer/cuda/loss_scale_launch.h"
#include "reference/kernels/optimizer/optimizer_math.h"

namespace lockstep::cuda {
namespace {

template <typename T>
__global__ void __launch_bounds__(kThreadsPerBlock)
    FindNonFiniteKernel(const __grid_constant__ VariableList<T> list,
                        bool* finite) {
  const BlockPart<T> part = PartOfBlock(list);
  const int64_t found =
      LaneSum<kRowLanes>(part.begin, part.end, [&](int64_t i) {
        const T element = part.item.gradient[i];
        return int64_t{!(element - element == 0)};  // infinite or NaN
      });
  if (threadIdx.x == 0 && found > 0) *finite = false;
}

}  // namespace

template <typename T>
cudaError_t FindNonFinite(const VariableList<T>& list, bool* finite,
                          cudaStream_t stream) {
  if (list.blocks() == 0) return cudaSuccess;
  return Launch(FindNonFiniteKernel<T>, static_cast<unsigned>(list.blocks()),
                stream, list, finite);
}

template cudaError_t FindNonFinite(const VariableList<float>&, bool*,
                                   cudaStream_t);
template cudaError_t FindNonFinite(const VariableList<double>&, bool*,
                                   cudaStream_t);

cudaError_t UpdateLossScale(const bool* finite, int64_t growth_steps,
                            float* scale, int64_t* finite_steps,
                            cudaStream_t stream) {
  return ForEach(1, stream, [=] __device__(int64_t) {
    kernels_internal::UpdateLossScale(*finite, growth_steps, *scale,
                                      *finite_steps);
  });
}

}  // namespace lockstep::cuda
