// What to tell somebody who asks for a GPU that is not there.
#ifndef LOCKSTEP_REFERENCE_DEVICE_CUDA_WHY_NO_GPU_H_
#define LOCKSTEP_REFERENCE_DEVICE_CUDA_WHY_NO_GPU_H_

#include <cuda_runtime_api.h>

#include <string>

namespace lockstep::device_internal {

// One sentence for what cudaGetDeviceCount answered: its status and, where that
// is cudaSuccess, the number of GPUs.
std::string WhyNoGpu(cudaError_t status, int gpus);

}  // namespace lockstep::device_internal

#endif  // LOCKSTEP_REFERENCE_DEVICE_CUDA_WHY_NO_GPU_H_
