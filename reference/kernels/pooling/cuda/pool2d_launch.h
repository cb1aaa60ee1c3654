// Max-pooling and mean-pooling over NHWC images, with the CPU kernels'
// contract: the first of equal elements wins, a NaN wins over any number,
// padding neither wins nor counts.
//
// Not cuDNN's: its pooling gives no winners, so that the gradient would have to
// read x and y again, and takes no padding that differs in front and behind.
#ifndef LOCKSTEP_REFERENCE_KERNELS_POOLING_CUDA_POOL2D_LAUNCH_H_
#define LOCKSTEP_REFERENCE_KERNELS_POOLING_CUDA_POOL2D_LAUNCH_H_

#include <cuda_runtime_api.h>

#include <cstdint>

#include "reference/kernels/windows.h"
#include "reference/tensor/dtype.h"

namespace lockstep::cuda {

// Maxima and their numbers, row * pool[1] + column, as uint8 or int32. With
// `relu` y is at least 0 and the winner kReluCut where y is not positive.
// REQUIRES: uint8 winners for relu.
cudaError_t MaxPool(cudaStream_t stream, DType dtype, DType winner_type,
                    const kernels_internal::PoolShape& shape, int64_t images,
                    bool relu, const void* x, void* y, void* winners);

// dx: the sum of the dy that each element won, in the windows' order. An
// element reads the windows that hold it, so that no two threads write one.
cudaError_t MaxPoolBackward(cudaStream_t stream, DType dtype, DType winner_type,
                            const kernels_internal::PoolShape& shape,
                            int64_t images, const void* dy, const void* winners,
                            void* dx);

// The mean of what a window has of the image.
cudaError_t AvgPool(cudaStream_t stream, DType dtype,
                    const kernels_internal::PoolShape& shape, int64_t images,
                    const void* x, void* y);

// dx: the sum of each window's dy over its number of elements, as
// MaxPoolBackward.
cudaError_t AvgPoolBackward(cudaStream_t stream, DType dtype,
                            const kernels_internal::PoolShape& shape,
                            int64_t images, const void* dy, void* dx);

}  // namespace lockstep::cuda

#endif  // LOCKSTEP_REFERENCE_KERNELS_POOLING_CUDA_POOL2D_LAUNCH_H_
