// Max-pooling and mean-pooling of NHWC images, with the CPU kernels' contract:
// the first of equal elements wins, a NaN wins over any number, padding neither
// wins nor counts.
//
// cuDNN's pooling is not used: it does not return the winners, so that the
// gradient would have to read x and y again, and it does not support padding
// that differs at the start and the end.
#ifndef LOCKSTEP_REFERENCE_KERNELS_POOLING_CUDA_POOL2D_LAUNCH_H_
#define LOCKSTEP_REFERENCE_KERNELS_POOLING_CUDA_POOL2D_LAUNCH_H_

#include <cuda_runtime_api.h>

#include <cstdint>

#include "reference/kernels/windows.h"
#include "reference/tensor/dtype.h"

namespace lockstep::cuda {

// Maxima and their indices, row * pool[1] + column, as uint8 or int32. With
// `relu`, y is at least 0, and the winner is kReluCut where y is not positive.
// REQUIRES: uint8 winners for relu.
cudaError_t MaxPool(cudaStream_t stream, DType dtype, DType winner_type,
                    const kernels_internal::PoolShape& shape, int64_t images,
                    bool relu, const void* x, void* y, void* winners);

// dx: the sum of the dy of all windows that each element won, in the windows'
// order. Each thread computes one element, so that no two threads write the
// same one.
cudaError_t MaxPoolBackward(cudaStream_t stream, DType dtype, DType winner_type,
                            const kernels_internal::PoolShape& shape,
                            int64_t images, const void* dy, const void* winners,
                            void* dx);

// The mean of a window's elements inside the image.
cudaError_t AvgPool(cudaStream_t stream, DType dtype,
                    const kernels_internal::PoolShape& shape, int64_t images,
                    const void* x, void* y);

// dx: the sum of each window's dy divided by its number of elements. Threads as
// in MaxPoolBackward.
cudaError_t AvgPoolBackward(cudaStream_t stream, DType dtype,
                            const kernels_internal::PoolShape& shape,
                            int64_t images, const void* dy, void* dx);

}  // namespace lockstep::cuda

#endif  // LOCKSTEP_REFERENCE_KERNELS_POOLING_CUDA_POOL2D_LAUNCH_H_
