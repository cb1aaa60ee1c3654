// What plans are tried out with before one is taken, and whether they can be.
#ifndef LOCKSTEP_REFERENCE_KERNELS_CUDA_TRY_PLAN_H_
#define LOCKSTEP_REFERENCE_KERNELS_CUDA_TRY_PLAN_H_

#include <cuda_runtime_api.h>

#include <cstdint>

#include "reference/device/buffer.h"
#include "reference/device/device.h"
#include "reference/tensor/dtype.h"

namespace lockstep::cuda {

// Whether what is queued in `stream` is only recorded, into a graph.
// Errors: Internal.
bool IsCapturing(cudaStream_t stream);

// Errors of all below: Internal.
//
// Whether `device` has that many bytes for a workspace, and they are not more
// than a plan may ask for.
bool HasRoom(Device& device, int64_t bytes);

// `count` NaNs. Errors: ResourceExhausted. REQUIRES: a floating dtype.
BufferPtr NaNs(Device& device, int64_t count, DType dtype);

// `count` finite numbers that are neither 0 nor subnormal: what a run that is
// timed computes with. Errors and REQUIRES as above.
BufferPtr Ordinary(Device& device, int64_t count, DType dtype);

// Whether `data` begins with NaN only: as many as are worth a look. Waits for
// the device. REQUIRES: a floating dtype, count > 0.
bool BeginsWithNaNs(Device& device, const void* data, int64_t count,
                    DType dtype);

}  // namespace lockstep::cuda

#endif  // LOCKSTEP_REFERENCE_KERNELS_CUDA_TRY_PLAN_H_
