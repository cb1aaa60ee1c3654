#include "benchmarks/micro/cudnn_layers/cudnn_calls.h"

#include <cudnn.h>

#include <mutex>

#include "benchmarks/micro/cudnn_layers/tensor_descriptor.h"
#include "reference/base/check.h"
#include "reference/kernels/convolution/cuda/cudnn_handle.h"
#include "reference/kernels/cuda/tensor_memory.h"

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

namespace {

constexpr cudnnBatchNormOps_t kNothingElse = CUDNN_BATCHNORM_OPS_BN;

Tensor Bytes(size_t bytes, Device& device) {
  return Tensor::Empty(Shape{static_cast<int64_t>(bytes)}, DType::kUInt8,
                       device);
}

}  // namespace

CudnnBatchNorm::CudnnBatchNorm(const LayerWork& work, cudnnBatchNormMode_t mode,
                               double epsilon)
    : mode_(mode),
      epsilon_(epsilon),
      channels_shape_{work.x[3]},
      x_(work.x, work.dtype) {
  CheckSupported(
      cudnnDeriveBNTensorDescriptor(channels_.get(), x_.get(), mode_),
      "[CudnnBatchNorm] describe the channels");
}

Tensor CudnnBatchNorm::ForwardWorkspace(cudnnHandle_t handle,
                                        Device& device) const {
  size_t bytes = 0;
  CheckSupported(cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize(
                     handle, mode_, kNothingElse, x_.get(), nullptr, x_.get(),
                     channels_.get(), nullptr, &bytes),
                 "[CudnnBatchNorm] size of the workspace");
  return Bytes(bytes, device);
}

Tensor CudnnBatchNorm::BackwardWorkspace(cudnnHandle_t handle,
                                         Device& device) const {
  size_t bytes = 0;
  CheckSupported(cudnnGetBatchNormalizationBackwardExWorkspaceSize(
                     handle, mode_, kNothingElse, x_.get(), nullptr, x_.get(),
                     nullptr, x_.get(), channels_.get(), nullptr, &bytes),
                 "[CudnnBatchNorm] size of the workspace");
  return Bytes(bytes, device);
}

Tensor CudnnBatchNorm::Reserve(cudnnHandle_t handle, Device& device) const {
  size_t bytes = 0;
  CheckSupported(cudnnGetBatchNormalizationTrainingExReserveSpaceSize(
                     handle, mode_, kNothingElse, nullptr, x_.get(), &bytes),
                 "[CudnnBatchNorm] size of what is kept");
  return Bytes(bytes, device);
}

CudnnBatchNorm::Result CudnnBatchNorm::Forward(const Tensor& x,
                                               const Tensor& gamma,
                                               const Tensor& beta) const {
  Device& device = x.device();
  CudnnHandle& handle = CudnnHandle::Of(device);
  std::lock_guard lock(handle.mutex());
  Result result{Tensor::Empty(x.shape(), x.dtype(), device),
                Tensor::Empty(channels_shape_, DType::kFloat32, device),
                Tensor::Empty(channels_shape_, DType::kFloat32, device),
                Reserve(handle.get(), device)};
  const Tensor workspace = ForwardWorkspace(handle.get(), device);
  CheckSupported(
      cudnnBatchNormalizationForwardTrainingEx(
          handle.get(), mode_, kNothingElse, &kOne, &kZero, x_.get(), Data(x),
          /*zDesc=*/nullptr, /*zData=*/nullptr, x_.get(), Data(result.y),
          channels_.get(), Data(gamma), Data(beta),
          /*exponentialAverageFactor=*/1, /*resultRunningMean=*/nullptr,
          /*resultRunningVariance=*/nullptr, epsilon_, Data(result.mean),
          Data(result.inverse_deviation), /*activationDesc=*/nullptr,
          Data(workspace), workspace.bytes(), Data(result.reserved),
          result.reserved.bytes()),
      "[CudnnBatchNorm] forward");
  return result;
}

CudnnBatchNorm::Gradients CudnnBatchNorm::Backward(const Tensor& x,
                                                   const Tensor& gamma,
                                                   const Result& result,
                                                   const Tensor& dy) const {
  Device& device = x.device();
  CudnnHandle& handle = CudnnHandle::Of(device);
  std::lock_guard lock(handle.mutex());
  Gradients gradients{Tensor::Empty(x.shape(), x.dtype(), device),
                      Tensor::Empty(channels_shape_, DType::kFloat32, device),
                      Tensor::Empty(channels_shape_, DType::kFloat32, device)};
  const Tensor workspace = BackwardWorkspace(handle.get(), device);
  CheckSupported(
      cudnnBatchNormalizationBackwardEx(
          handle.get(), mode_, kNothingElse, &kOne, &kZero, &kOne, &kZero,
          x_.get(), Data(x), /*yDesc=*/nullptr, /*yData=*/nullptr, x_.get(),
          Data(dy), /*dzDesc=*/nullptr, /*dzData=*/nullptr, x_.get(),
          Data(gradients.x), channels_.get(), Data(gamma),
          /*bnBiasData=*/nullptr, Data(gradients.gamma), Data(gradients.beta),
          epsilon_, Data(result.mean), Data(result.inverse_deviation),
          /*activationDesc=*/nullptr, Data(workspace), workspace.bytes(),
          Data(result.reserved), result.reserved.bytes()),
      "[CudnnBatchNorm] backward");
  return gradients;
}

}  // namespace lockstep::benchmarks
