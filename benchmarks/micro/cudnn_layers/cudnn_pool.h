// Max and mean pooling by cuDNN. (Its graph API resamples instead and names
// these calls deprecated; they are what other frameworks call.)
//
//   const CudnnPool pool(work, CUDNN_POOLING_MAX);
//   Tensor y = pool.Forward(x);
//   Tensor dx = pool.Backward(x, y, dy);
#ifndef LOCKSTEP_BENCHMARKS_MICRO_CUDNN_LAYERS_CUDNN_POOL_H_
#define LOCKSTEP_BENCHMARKS_MICRO_CUDNN_LAYERS_CUDNN_POOL_H_

#include <cudnn.h>

#include "benchmarks/micro/cudnn_layers/tensor_descriptor.h"
#include "benchmarks/micro/layers/layer_work.h"
#include "reference/tensor/tensor.h"

namespace lockstep::benchmarks {

// Errors of all: Unimplemented; Internal.
class CudnnPool {
 public:
  // REQUIRES: a pooling without padding.
  CudnnPool(const LayerWork& work, cudnnPoolingMode_t mode);
  ~CudnnPool();
  CudnnPool(const CudnnPool&) = delete;
  CudnnPool& operator=(const CudnnPool&) = delete;

  // As the library computes it.
  Shape OutputShape() const;

  Tensor Forward(const Tensor& x) const;
  Tensor Backward(const Tensor& x, const Tensor& y, const Tensor& dy) const;

 private:
  const TensorDescriptor x_;
  const TensorDescriptor y_;
  cudnnPoolingDescriptor_t pool_ = nullptr;
};

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_MICRO_CUDNN_LAYERS_CUDNN_POOL_H_
