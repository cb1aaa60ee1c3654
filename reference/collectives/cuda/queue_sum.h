// A sum over the memories of several logical GPUs.
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_CUDA_QUEUE_SUM_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_CUDA_QUEUE_SUM_H_

#include "reference/collectives/gpu_collectives.h"

namespace lockstep::cuda {

// As GpuCollectives::Sum. Memory of the same GPU is read and written where it
// is; what lies on another GPU is copied to one that does the sum, or from it.
// Streams wait for each other by events, the host for none of them.
void QueueSum(const collectives_internal::GpuSum& sum);

}  // namespace lockstep::cuda

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_CUDA_QUEUE_SUM_H_
