// Two arrays in a GPU's memory with numpy's broadcasting.
#ifndef LOCKSTEP_REFERENCE_KERNELS_CUDA_BINARY_LAUNCH_H_
#define LOCKSTEP_REFERENCE_KERNELS_CUDA_BINARY_LAUNCH_H_

#include <cuda_runtime_api.h>

#include <cstdint>

#include "reference/kernels/cuda/element_math.h"
#include "reference/kernels/cuda/strided_offset.h"

namespace lockstep::cuda {

// out is dense, of the sizes of `a_axes` and `b_axes`, which agree; their
// strides say where the operands' elements lie. float, double, int32_t,
// int64_t.
template <typename T>
cudaError_t Binary(BinaryOp op, const T* a, const StridedAxes& a_axes,
                   const T* b, const StridedAxes& b_axes, T* out,
                   cudaStream_t stream);

// out[i] = x[offset of i]; words of 1, 2, 4 or 8 bytes (uint8_t ... uint64_t).
template <typename Word>
cudaError_t CopyStrided(const Word* x, const StridedAxes& axes, Word* out,
                        cudaStream_t stream);

}  // namespace lockstep::cuda

#endif  // LOCKSTEP_REFERENCE_KERNELS_CUDA_BINARY_LAUNCH_H_
