// One step of an optimizer on many variables in a GPU's memory.
#ifndef LOCKSTEP_REFERENCE_KERNELS_OPTIMIZER_CUDA_OPTIMIZER_UPDATE_LAUNCH_H_
#define LOCKSTEP_REFERENCE_KERNELS_OPTIMIZER_CUDA_OPTIMIZER_UPDATE_LAUNCH_H_

#include <cuda_runtime_api.h>

#include <cstdint>

#include "reference/kernels/optimizer/cuda/variable_list.h"
#include "reference/kernels/optimizer/optimizer_math.h"

namespace lockstep::cuda {

// The scalars of a StepScalars in the GPU's memory; `taken` may be nullptr.
struct StepNumbers {
  const double* learning_rate;
  const int64_t* iterations;
  const bool* taken;
};

// All for float and double. Launches one kernel, or none for a list without
// blocks.
template <typename T>
cudaError_t Sgd(const VariableList<T>& list, T momentum, bool nesterov,
                const StepNumbers& step, cudaStream_t stream);

// Computes the step's constants for Adam, once for all variables.
template <typename T>
cudaError_t PrepareAdam(const kernels::AdamOptions& options,
                        const StepNumbers& step,
                        kernels_internal::AdamConstants<T>* constants,
                        cudaStream_t stream);
template <typename T>
cudaError_t Adam(const VariableList<T>& list,
                 const kernels_internal::AdamConstants<T>* constants,
                 const StepNumbers& step, cudaStream_t stream);

template <typename T>
cudaError_t Adagrad(const VariableList<T>& list, double epsilon,
                    const StepNumbers& step, cudaStream_t stream);

template <typename T>
cudaError_t RmsProp(const VariableList<T>& list, double rho, double epsilon,
                    const StepNumbers& step, cudaStream_t stream);

// Subtracts `decay` times the learning rate times each variable.
template <typename T>
cudaError_t DecayWeights(const VariableList<T>& list, double decay,
                         const StepNumbers& step, cudaStream_t stream);

// The averages are the items' `first`. `taken` may be nullptr.
template <typename T>
cudaError_t AverageWeights(const VariableList<T>& list, double momentum,
                           int64_t overwrite_frequency, const int64_t* steps,
                           const bool* taken, cudaStream_t stream);

}  // namespace lockstep::cuda

#endif  // LOCKSTEP_REFERENCE_KERNELS_OPTIMIZER_CUDA_OPTIMIZER_UPDATE_LAUNCH_H_
