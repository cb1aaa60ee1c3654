#include "reference/device/cuda/for_each.cuh"
#include "reference/kernels/optimizer/cuda/learning_rate_launch.h"
#include "reference/kernels/optimizer/optimizer_math.h"

namespace lockstep::cuda {

cudaError_t ExponentialRateAt(const int64_t* step,
                              const kernels::ExponentialRate& given,
                              double* rate, cudaStream_t stream) {
  const kernels::ExponentialRate formula = given;
  return ForEach(1, stream,
                 [=] __device__(int64_t) { *rate = formula.At(*step); });
}

cudaError_t ChooseRate(const int64_t* step, const RatePieces& pieces,
                       double* rate, cudaStream_t stream) {
  const RatePieces list = pieces;
  return ForEach(1, stream, [=] __device__(int64_t) {
    for (int i = 0; i < list.size && list.boundaries[i] < *step; ++i) {
      *rate = list.rates[i];
    }
  });
}

}  // namespace lockstep::cuda
