// cuDNN's description of an array.
#ifndef LOCKSTEP_BENCHMARKS_MICRO_CUDNN_LAYERS_TENSOR_DESCRIPTOR_H_
#define LOCKSTEP_BENCHMARKS_MICRO_CUDNN_LAYERS_TENSOR_DESCRIPTOR_H_

#include <cudnn.h>

#include "reference/tensor/dtype.h"
#include "reference/tensor/shape.h"

namespace lockstep::benchmarks {

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
