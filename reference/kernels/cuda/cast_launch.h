// Converts numbers in a GPU's memory to another type.
#ifndef LOCKSTEP_REFERENCE_KERNELS_CUDA_CAST_LAUNCH_H_
#define LOCKSTEP_REFERENCE_KERNELS_CUDA_CAST_LAUNCH_H_

#include <cuda_runtime_api.h>

#include <cstdint>

namespace lockstep::cuda {

// What is written. (dtype.h holds strings too, which no GPU knows.)
enum class NumberType {
  kFloat32,
  kFloat64,
  kBFloat16,
  kFloat16,
  kInt32,
  kInt64,
  kUInt8,
  kBool
};

// float, double, BFloat16, Float16, int32_t, int64_t, uint8_t, bool. Rounds as
// static_cast does on the host.
template <typename From>
cudaError_t Cast(const From* x, void* y, NumberType to, int64_t count,
                 cudaStream_t stream);

}  // namespace lockstep::cuda

#endif  // LOCKSTEP_REFERENCE_KERNELS_CUDA_CAST_LAUNCH_H_
