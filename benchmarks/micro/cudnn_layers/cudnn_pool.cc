#include "benchmarks/micro/cudnn_layers/cudnn_pool.h"

#include <mutex>

#include "benchmarks/micro/cudnn_layers/check_supported.h"
#include "benchmarks/micro/cudnn_layers/scale_factors.h"
#include "reference/base/check.h"
#include "reference/kernels/cuda/aligned.h"
#include "reference/kernels/cuda/cudnn_handle.h"

namespace lockstep::benchmarks {

using cuda::CudnnHandle;
using cuda::Data;

CudnnPool::CudnnPool(const LayerWork& work, cudnnPoolingMode_t mode)
    : x_(work.x, work.dtype), y_(OutputShapeOf(work), work.dtype) {
  LOCKSTEP_CHECK(work.windows.padding == kernels::Padding::kValid);
  CheckSupported(cudnnCreatePoolingDescriptor(&pool_), "[CudnnPool] create");
  const auto [rows, columns] = work.windows.pool;
  const auto [row_stride, column_stride] = work.windows.strides;
  const cudnnStatus_t status = cudnnSetPooling2dDescriptor(
      pool_, mode, CUDNN_PROPAGATE_NAN, static_cast<int>(rows),
      static_cast<int>(columns), 0, 0, static_cast<int>(row_stride),
      static_cast<int>(column_stride));
  if (status != CUDNN_STATUS_SUCCESS) cudnnDestroyPoolingDescriptor(pool_);
  CheckSupported(status, "[CudnnPool] set");
}

CudnnPool::~CudnnPool() { cudnnDestroyPoolingDescriptor(pool_); }

Shape CudnnPool::OutputShape() const {
  int images = 0, channels = 0, rows = 0, columns = 0;
  CheckSupported(cudnnGetPooling2dForwardOutputDim(pool_, x_.get(), &images,
                                                   &channels, &rows, &columns),
                 "[CudnnPool] shape of the result");
  return Shape{images, rows, columns, channels};
}

Tensor CudnnPool::Forward(const Tensor& x) const {
  CudnnHandle& handle = CudnnHandle::Of(x.device());
  std::lock_guard lock(handle.mutex());
  Tensor y = Tensor::Empty(OutputShape(), x.dtype(), x.device());
  CheckSupported(
      cudnnPoolingForward(handle.get(), pool_, &kOne, x_.get(), Data(x), &kZero,
                          y_.get(), y.mutable_raw_data()),
      "[CudnnPool] forward");
  return y;
}

Tensor CudnnPool::Backward(const Tensor& x, const Tensor& y,
                           const Tensor& dy) const {
  CudnnHandle& handle = CudnnHandle::Of(x.device());
  std::lock_guard lock(handle.mutex());
  Tensor dx = Tensor::Empty(x.shape(), x.dtype(), x.device());
  CheckSupported(
      cudnnPoolingBackward(handle.get(), pool_, &kOne, y_.get(), Data(y),
                           y_.get(), Data(dy), x_.get(), Data(x), &kZero,
                           x_.get(), dx.mutable_raw_data()),
      "[CudnnPool] backward");
  return dx;
}

}  // namespace lockstep::benchmarks
