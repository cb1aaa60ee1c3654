// Whether a stream's work is only recorded.
#ifndef LOCKSTEP_REFERENCE_KERNELS_CUDA_IS_CAPTURING_H_
#define LOCKSTEP_REFERENCE_KERNELS_CUDA_IS_CAPTURING_H_

#include <cuda_runtime_api.h>

namespace lockstep::cuda {

// Whether what is queued in `stream` is only recorded, into a graph.
// Errors: Internal.
bool IsCapturing(cudaStream_t stream);

}  // namespace lockstep::cuda

#endif  // LOCKSTEP_REFERENCE_KERNELS_CUDA_IS_CAPTURING_H_
