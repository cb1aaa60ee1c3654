// The smallest kernel, for the test of the rule that compiles it.
#ifndef LOCKSTEP_THIRD_PARTY_CUDA_ADD_ONE_H_
#define LOCKSTEP_THIRD_PARTY_CUDA_ADD_ONE_H_

#include <cuda_runtime_api.h>

namespace lockstep {

// Adds 1 to each of `count` numbers in device memory.
cudaError_t AddOne(float* data, int count);

}  // namespace lockstep

#endif  // LOCKSTEP_THIRD_PARTY_CUDA_ADD_ONE_H_
