// Learning rates, loss scaling and the clipping of gradients, by numbers in a
// GPU's memory.
#ifndef LOCKSTEP_REFERENCE_KERNELS_OPTIMIZER_CUDA_TRAINING_STEP_LAUNCH_H_
#define LOCKSTEP_REFERENCE_KERNELS_OPTIMIZER_CUDA_TRAINING_STEP_LAUNCH_H_

#include <cuda_runtime_api.h>

#include <cstdint>

#include "reference/kernels/optimizer/cuda/variable_list.h"
#include "reference/kernels/optimizer/optimizer_math.h"

namespace lockstep::cuda {

// Learning rates that follow a count of steps.
//
// Rates that hold from the step behind a boundary on; passed by value.
struct RatePieces {
  static constexpr int kMost = 128;

  int size = 0;
  int64_t boundaries[kMost];
  double rates[kMost];
};

cudaError_t ExponentialRateAt(const int64_t* step,
                              const kernels::ExponentialRate& given,
                              double* rate, cudaStream_t stream);

// *rate = that of the last piece whose boundary lies before the step; left
// alone where there is none.
cudaError_t ChooseRate(const int64_t* step, const RatePieces& pieces,
                       double* rate, cudaStream_t stream);

// Loss scaling without the host: is a step finite, and what follows from it.
//
// *finite = false if an element of a `gradient` is not finite; float, double.
template <typename T>
cudaError_t FindNonFinite(const VariableList<T>& list, bool* finite,
                          cudaStream_t stream);

cudaError_t FollowStep(const bool* finite, int64_t growth_steps, float* scale,
                       int64_t* finite_steps, cudaStream_t stream);

// The lengths of many arrays, and their clipping. A list's `gradient` is read
// and its `variable` is written.
//
// All for float and double. sums[b] is the sum of the squares of block b.
template <typename T>
cudaError_t SumSquares(const VariableList<T>& list, double* sums,
                       cudaStream_t stream);

// From these sums, for each variable, what shortens it to the length `norm`: 1
// where it is no longer.
template <typename T>
cudaError_t NormFactors(const VariableList<T>& list, const double* sums,
                        double norm, double* factors, cudaStream_t stream);

// The same for all variables together, from `count` sums of any lists; a length
// that is NaN makes the factor NaN, as the host's.
cudaError_t GlobalNormFactor(const double* sums, int64_t count, double norm,
                             double* factor, cudaStream_t stream);

// Each variable times a factor of its own, or all times the one there is.
template <typename T>
cudaError_t ScaleEach(const VariableList<T>& list, const double* factors,
                      bool one_for_all, cudaStream_t stream);

template <typename T>
cudaError_t ClipEach(const VariableList<T>& list, T low, T high,
                     cudaStream_t stream);

}  // namespace lockstep::cuda

#endif  // LOCKSTEP_REFERENCE_KERNELS_OPTIMIZER_CUDA_TRAINING_STEP_LAUNCH_H_
