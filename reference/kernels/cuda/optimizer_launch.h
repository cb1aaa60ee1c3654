// One step of an optimizer on many variables in a GPU's memory at once.
#ifndef LOCKSTEP_REFERENCE_KERNELS_CUDA_OPTIMIZER_LAUNCH_H_
#define LOCKSTEP_REFERENCE_KERNELS_CUDA_OPTIMIZER_LAUNCH_H_

#include <cuda_runtime_api.h>

#include "reference/kernels/cuda/variable_list.h"
#include "reference/kernels/optimizer_constants.h"

namespace lockstep::cuda {

// Both for float and double; one launch, none for a list without blocks.
template <typename T>
cudaError_t Sgd(const VariableList<T>& list,
                const kernels_internal::SgdConstants<T>& constants,
                cudaStream_t stream);

template <typename T>
cudaError_t Adam(const VariableList<T>& list,
                 const kernels_internal::AdamConstants<T>& constants,
                 cudaStream_t stream);

}  // namespace lockstep::cuda

#endif  // LOCKSTEP_REFERENCE_KERNELS_CUDA_OPTIMIZER_LAUNCH_H_
