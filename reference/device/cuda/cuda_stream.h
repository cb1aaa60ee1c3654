// A queue of work on one GPU; independent of CUDA's default stream.
#ifndef LOCKSTEP_REFERENCE_DEVICE_CUDA_CUDA_STREAM_H_
#define LOCKSTEP_REFERENCE_DEVICE_CUDA_CUDA_STREAM_H_

#include <cuda_runtime_api.h>

#include "reference/device/cuda/cuda_event.h"

namespace lockstep {

// Errors of all: Internal; waiting reports what failed in the queue.
class CudaStream {
 public:
  // On the calling thread's current GPU.
  CudaStream();
  ~CudaStream();
  CudaStream(const CudaStream&) = delete;
  CudaStream& operator=(const CudaStream&) = delete;

  // Until all that was given to it has run.
  void Synchronize() const;
  // What it is given from now on runs after the event's mark.
  void WaitFor(const CudaEvent& event) const;

  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DEVICE_CUDA_CUDA_STREAM_H_
