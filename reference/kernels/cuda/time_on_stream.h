// How long work takes on a GPU.
#ifndef LOCKSTEP_REFERENCE_KERNELS_CUDA_TIME_ON_STREAM_H_
#define LOCKSTEP_REFERENCE_KERNELS_CUDA_TIME_ON_STREAM_H_

#include <cuda_runtime_api.h>

#include <functional>

namespace lockstep::cuda {

// The mean of a few runs behind one that warms up; waits for them. `run` queues
// one in `stream`. Errors: Internal.
double SecondsOnStream(cudaStream_t stream, const std::function<void()>& run);

// Whether what is queued in `stream` is only recorded, into a graph.
bool IsCapturing(cudaStream_t stream);

}  // namespace lockstep::cuda

#endif  // LOCKSTEP_REFERENCE_KERNELS_CUDA_TIME_ON_STREAM_H_
