// Elementwise operations on arrays in a GPU's memory; see element_math.h.
#ifndef LOCKSTEP_REFERENCE_KERNELS_ELEMENTWISE_CUDA_ELEMENTWISE_LAUNCH_H_
#define LOCKSTEP_REFERENCE_KERNELS_ELEMENTWISE_CUDA_ELEMENTWISE_LAUNCH_H_

#include <cuda_runtime_api.h>

#include <cstdint>

#include "reference/kernels/cuda/strided_offset.h"
#include "reference/kernels/elementwise/element_math.h"

namespace lockstep::cuda {

// float, double, int32_t, int64_t.
template <typename T>
cudaError_t Unary(UnaryOp op, const T* x, T* y, int64_t count,
                  cudaStream_t stream);

// y = x * factor; float, double.
template <typename T>
cudaError_t Scale(const T* x, T factor, T* y, int64_t count,
                  cudaStream_t stream);

// Gradients that pass or are cut, and clipping.
//
// All for float and double.
template <typename T>
cudaError_t ReluBackward(const T* y, const T* dy, T* dx, int64_t count,
                         cudaStream_t stream);

template <typename T>
cudaError_t Clip(const T* x, T low, T high, T* y, int64_t count,
                 cudaStream_t stream);

template <typename T>
cudaError_t ClipBackward(const T* x, const T* dy, T low, T high, T* dx,
                         int64_t count, cudaStream_t stream);

// Two arrays with numpy's broadcasting.
//
// `out` is dense and has the sizes of `a_axes` and `b_axes`, which are equal.
// Their strides are those of the operands. float, double, int32_t, int64_t.
template <typename T>
cudaError_t Binary(BinaryOp op, const T* a, const StridedAxes& a_axes,
                   const T* b, const StridedAxes& b_axes, T* out,
                   cudaStream_t stream);

// out[i] = x[offset of i]; words of 1, 2, 4 or 8 bytes (uint8_t ... uint64_t).
template <typename Word>
cudaError_t CopyStrided(const Word* x, const StridedAxes& axes, Word* out,
                        cudaStream_t stream);

// Compares two arrays element by element.
//
// float, double, BFloat16, Float16, int32_t, int64_t, uint8_t, bool.
template <typename T>
cudaError_t Equal(const T* a, const T* b, bool* equal, int64_t count,
                  cudaStream_t stream);

// In-place operations.
//
// float, double, BFloat16, Float16, int32_t, int64_t, uint8_t.
template <typename T>
cudaError_t AddInPlace(T* target, const T* delta, int64_t count,
                       cudaStream_t stream);
template <typename T>
cudaError_t SubtractInPlace(T* target, const T* delta, int64_t count,
                            cudaStream_t stream);

// target = value if *condition; words of 1, 2, 4 or 8 bytes (uint8_t ...
// uint64_t).
template <typename Word>
cudaError_t AssignWhere(const bool* condition, Word* target, const Word* value,
                        int64_t count, cudaStream_t stream);

// Converts numbers to another type.
//
// The type to convert to. DType also has strings, which GPUs do not support.
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

#endif  // LOCKSTEP_REFERENCE_KERNELS_ELEMENTWISE_CUDA_ELEMENTWISE_LAUNCH_H_
