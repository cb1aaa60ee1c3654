// Softmax over rows by cuDNN, the way that does not overflow.
//
//   const CudnnSoftmax softmax(work);
//   Tensor y = softmax.Forward(x);
//   Tensor dx = softmax.Backward(y, dy);
#ifndef LOCKSTEP_BENCHMARKS_MICRO_CUDNN_LAYERS_CUDNN_SOFTMAX_H_
#define LOCKSTEP_BENCHMARKS_MICRO_CUDNN_LAYERS_CUDNN_SOFTMAX_H_

#include "benchmarks/micro/cudnn_layers/tensor_descriptor.h"
#include "benchmarks/micro/layers/layer_work.h"
#include "reference/tensor/tensor.h"

namespace lockstep::benchmarks {

// Errors of all: Unimplemented; Internal.
class CudnnSoftmax {
 public:
  explicit CudnnSoftmax(const LayerWork& work) : rows_(work.x, work.dtype) {}

  Tensor Forward(const Tensor& x) const;
  Tensor Backward(const Tensor& y, const Tensor& dy) const;

 private:
  const TensorDescriptor rows_;
};

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_MICRO_CUDNN_LAYERS_CUDNN_SOFTMAX_H_
