#include "benchmarks/micro/cudnn_layers/cudnn_softmax.h"

#include <cudnn.h>

#include <mutex>

#include "benchmarks/micro/cudnn_layers/check_supported.h"
#include "benchmarks/micro/cudnn_layers/scale_factors.h"
#include "reference/kernels/cuda/aligned.h"
#include "reference/kernels/cuda/cudnn_handle.h"

namespace lockstep::benchmarks {

using cuda::CudnnHandle;
using cuda::Data;

Tensor CudnnSoftmax::Forward(const Tensor& x) const {
  CudnnHandle& handle = CudnnHandle::Of(x.device());
  std::lock_guard lock(handle.mutex());
  Tensor y = Tensor::Empty(x.shape(), x.dtype(), x.device());
  CheckSupported(
      cudnnSoftmaxForward(handle.get(), CUDNN_SOFTMAX_ACCURATE,
                          CUDNN_SOFTMAX_MODE_INSTANCE, &kOne, rows_.get(),
                          Data(x), &kZero, rows_.get(), y.mutable_raw_data()),
      "[CudnnSoftmax] forward");
  return y;
}

Tensor CudnnSoftmax::Backward(const Tensor& y, const Tensor& dy) const {
  CudnnHandle& handle = CudnnHandle::Of(y.device());
  std::lock_guard lock(handle.mutex());
  Tensor dx = Tensor::Empty(y.shape(), y.dtype(), y.device());
  CheckSupported(
      cudnnSoftmaxBackward(handle.get(), CUDNN_SOFTMAX_ACCURATE,
                           CUDNN_SOFTMAX_MODE_INSTANCE, &kOne, rows_.get(),
                           Data(y), rows_.get(), Data(dy), &kZero, rows_.get(),
                           dx.mutable_raw_data()),
      "[CudnnSoftmax] backward");
  return dx;
}

}  // namespace lockstep::benchmarks
