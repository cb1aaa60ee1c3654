// Layers by cuDNN's calls.
#ifndef LOCKSTEP_BENCHMARKS_MICRO_CUDNN_LAYERS_CUDNN_CALLS_H_
#define LOCKSTEP_BENCHMARKS_MICRO_CUDNN_LAYERS_CUDNN_CALLS_H_

#include <cudnn.h>

#include "benchmarks/micro/cudnn_layers/tensor_descriptor.h"
#include "benchmarks/micro/layers/layer_work.h"
#include "reference/tensor/tensor.h"

namespace lockstep::benchmarks {

// Max and mean pooling by cuDNN. (Its graph API resamples instead and names
// these calls deprecated; they are what other frameworks call.)
//
//   const CudnnPool pool(work, CUDNN_POOLING_MAX);
//   Tensor y = pool.Forward(x);
//   Tensor dx = pool.Backward(x, y, dy);
//
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

// Softmax over rows by cuDNN, by the algorithm that does not overflow.
//
//   const CudnnSoftmax softmax(work);
//   Tensor y = softmax.Forward(x);
//   Tensor dx = softmax.Backward(y, dy);
//
// Errors of all: Unimplemented; Internal.
class CudnnSoftmax {
 public:
  explicit CudnnSoftmax(const LayerWork& work) : rows_(work.x, work.dtype) {}

  Tensor Forward(const Tensor& x) const;
  Tensor Backward(const Tensor& y, const Tensor& dy) const;

 private:
  const TensorDescriptor rows_;
};

// Batch normalization in training by cuDNN: each channel over all images and
// pixels, channels last. (Its graph API names these calls deprecated; they are
// what other frameworks call.)
//
//   const CudnnBatchNorm norm(work, CUDNN_BATCHNORM_SPATIAL, 1e-5);
//   auto result = norm.Forward(x, gamma, beta);
//   auto gradients = norm.Backward(x, gamma, result, dy);
//
// Values per channel are float32 whatever the type of x. Errors of all:
// Unimplemented; Internal.
class CudnnBatchNorm {
 public:
  struct Result {
    Tensor y;
    Tensor mean;
    Tensor inverse_deviation;  // 1 / sqrt(variance + epsilon)
    Tensor reserved;           // what the library keeps for the gradient
  };
  struct Gradients {
    Tensor x, gamma, beta;
  };

  CudnnBatchNorm(const LayerWork& work, cudnnBatchNormMode_t mode,
                 double epsilon);

  Result Forward(const Tensor& x, const Tensor& gamma,
                 const Tensor& beta) const;
  Gradients Backward(const Tensor& x, const Tensor& gamma, const Result& result,
                     const Tensor& dy) const;

  // The descriptor of one number per channel.
  cudnnTensorDescriptor_t channels_descriptor() const {
    return channels_.get();
  }

 private:
  Tensor ForwardWorkspace(cudnnHandle_t handle, Device& device) const;
  Tensor BackwardWorkspace(cudnnHandle_t handle, Device& device) const;
  Tensor Reserve(cudnnHandle_t handle, Device& device) const;

  const cudnnBatchNormMode_t mode_;
  const double epsilon_;
  const Shape channels_shape_;
  const TensorDescriptor x_;
  const TensorDescriptor channels_;
};

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_MICRO_CUDNN_LAYERS_CUDNN_CALLS_H_
