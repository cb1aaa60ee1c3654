// Dynamic loss scaling by numbers in a GPU's memory.
#ifndef LOCKSTEP_REFERENCE_KERNELS_OPTIMIZER_CUDA_LOSS_SCALE_LAUNCH_H_
#define LOCKSTEP_REFERENCE_KERNELS_OPTIMIZER_CUDA_LOSS_SCALE_LAUNCH_H_

#include <cuda_runtime_api.h>

#include <cstdint>

#include "reference/kernels/optimizer/cuda/variable_list.h"

namespace lockstep::cuda {

// Sets *finite to false if an element of a `gradient` is not finite. float and
// double.
template <typename T>
cudaError_t FindNonFinite(const VariableList<T>& list, bool* finite,
                          cudaStream_t stream);

cudaError_t UpdateLossScale(const bool* finite, int64_t growth_steps,
                            float* scale, int64_t* finite_steps,
                            cudaStream_t stream);

}  // namespace lockstep::cuda

#endif  // LOCKSTEP_REFERENCE_KERNELS_OPTIMIZER_CUDA_LOSS_SCALE_LAUNCH_H_
