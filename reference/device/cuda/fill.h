// Writes one value many times into a GPU's memory.
#ifndef LOCKSTEP_REFERENCE_DEVICE_CUDA_FILL_H_
#define LOCKSTEP_REFERENCE_DEVICE_CUDA_FILL_H_

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace lockstep::cuda {

// The value is on the host and is read before this returns. REQUIRES:
// value_bytes is 1, 2, 4 or 8; `to` is aligned to it.
cudaError_t Fill(void* to, const void* value, size_t value_bytes, int64_t count,
                 cudaStream_t stream);

}  // namespace lockstep::cuda

#endif  // LOCKSTEP_REFERENCE_DEVICE_CUDA_FILL_H_
