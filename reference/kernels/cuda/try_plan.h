// Inputs and checks for trial runs of plans.
#ifndef LOCKSTEP_REFERENCE_KERNELS_CUDA_TRY_PLAN_H_
#define LOCKSTEP_REFERENCE_KERNELS_CUDA_TRY_PLAN_H_

#include <cuda_runtime_api.h>

#include <cstdint>

#include "reference/device/buffer.h"
#include "reference/device/device.h"
#include "reference/tensor/dtype.h"

namespace lockstep::cuda {

// Whether `stream` is being captured into a graph. Errors: Internal.
bool IsCapturing(cudaStream_t stream);

// Errors of all below: Internal.
//
// Whether a workspace of `bytes` is within the limit and `device` has the
// memory.
bool HasRoom(Device& device, int64_t bytes);

// `count` NaNs. Errors: ResourceExhausted. REQUIRES: a floating dtype.
BufferPtr NaNs(Device& device, int64_t count, DType dtype);

// `count` finite numbers that are neither 0 nor subnormal, as inputs of timed
// runs. Errors and REQUIRES as above.
BufferPtr Ordinary(Device& device, int64_t count, DType dtype);

// Whether the first elements of `data`, up to a limit, are all NaN. Waits for
// the device. REQUIRES: a floating dtype, count > 0.
bool BeginsWithNaNs(Device& device, const void* data, int64_t count,
                    DType dtype);

}  // namespace lockstep::cuda

#endif  // LOCKSTEP_REFERENCE_KERNELS_CUDA_TRY_PLAN_H_
