// What every call of cuDNN's layers needs: its description of an array, its
// factors, and its statuses as errors.
#ifndef LOCKSTEP_BENCHMARKS_MICRO_CUDNN_LAYERS_TENSOR_DESCRIPTOR_H_
#define LOCKSTEP_BENCHMARKS_MICRO_CUDNN_LAYERS_TENSOR_DESCRIPTOR_H_

#include <cudnn.h>

#include <string_view>

#include "reference/base/error.h"
#include "reference/kernels/convolution/cuda/cudnn_handle.h"
#include "reference/tensor/dtype.h"
#include "reference/tensor/shape.h"

namespace lockstep::benchmarks {

// Distinguishes what cuDNN does not support from other failures.
// Errors: Unimplemented for a type, shape or layout that the library says it
// does not support; else those of CheckCudnn.
inline void CheckSupported(cudnnStatus_t status, std::string_view operation) {
  if (CUDNN_STATUS_CATEGORY(status) == CUDNN_STATUS_NOT_SUPPORTED) {
    throw Unimplemented("{}: {}", operation, cudnnGetErrorString(status));
  }
  cuda::CheckCudnn(status, operation);
}

// The factors of cuDNN's calls for their result and for the output's previous
// content: the output is overwritten.
inline constexpr float kOne = 1;
inline constexpr float kZero = 0;

// cuDNN's description of an array.
// Errors of all: Unimplemented; Internal.
class TensorDescriptor {
 public:
  // Of nothing yet: for a function of the library that sets it.
  TensorDescriptor();
  // Images [N, H, W, C] in this order, or rows [N, C]. Errors: InvalidArgument
  // for another type than float32, bfloat16 and float16.
  TensorDescriptor(const Shape& shape, DType dtype);
  ~TensorDescriptor();
  TensorDescriptor(const TensorDescriptor&) = delete;
  TensorDescriptor& operator=(const TensorDescriptor&) = delete;

  cudnnTensorDescriptor_t get() const { return descriptor_; }

 private:
  cudnnTensorDescriptor_t descriptor_ = nullptr;
};

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_MICRO_CUDNN_LAYERS_TENSOR_DESCRIPTOR_H_
