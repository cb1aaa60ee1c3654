// The inner loop of reductions on a GPU: SumInto for many pieces at once.
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_CUDA_SUM_PIECES_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_CUDA_SUM_PIECES_H_

#include <cuda_runtime_api.h>

#include <span>

#include "reference/collectives/sum_kernel.h"

namespace lockstep::cuda {

// Enqueues the sums. The bits are those of SumInto, on every GPU. A launch has
// the addresses of many pieces, so a list of hundreds of tensors needs only a
// few launches. REQUIRES: all pieces have the same numbers of inputs and
// outputs, together at most kMostPointers; the current GPU is the stream's.
cudaError_t SumPieces(
    cudaStream_t stream,
    std::span<const collectives_internal::SumArguments> pieces);

inline constexpr int kMostPointers = 2048;

}  // namespace lockstep::cuda

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_CUDA_SUM_PIECES_H_
