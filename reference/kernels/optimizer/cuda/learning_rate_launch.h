// Learning rates computed from a count of steps in a GPU's memory.
#ifndef LOCKSTEP_REFERENCE_KERNELS_OPTIMIZER_CUDA_LEARNING_RATE_LAUNCH_H_
#define LOCKSTEP_REFERENCE_KERNELS_OPTIMIZER_CUDA_LEARNING_RATE_LAUNCH_H_

#include <cuda_runtime_api.h>

#include <cstdint>

#include "reference/kernels/optimizer/optimizer_math.h"

namespace lockstep::cuda {

// Rates of a piecewise constant schedule: rates[i] applies to the steps after
// boundaries[i]. Passed by value.
struct RatePieces {
  static constexpr int kMost = 128;

  int size = 0;
  int64_t boundaries[kMost];
  double rates[kMost];
};

cudaError_t ExponentialRateAt(const int64_t* step,
                              const kernels::ExponentialRate& given,
                              double* rate, cudaStream_t stream);

// Sets *rate to that of the last piece whose boundary is before the step;
// leaves it unchanged if there is none.
cudaError_t ChooseRate(const int64_t* step, const RatePieces& pieces,
                       double* rate, cudaStream_t stream);

}  // namespace lockstep::cuda

#endif  // LOCKSTEP_REFERENCE_KERNELS_OPTIMIZER_CUDA_LEARNING_RATE_LAUNCH_H_
