#include "benchmarks/micro/cudnn_layers/cudnn_batch_norm.h"

#include <mutex>

#include "benchmarks/micro/cudnn_layers/check_supported.h"
#include "benchmarks/micro/cudnn_layers/scale_factors.h"
#include "reference/kernels/cuda/aligned.h"
#include "reference/kernels/cuda/cudnn_handle.h"

namespace lockstep::benchmarks {
namespace {

using cuda::CudnnHandle;
using cuda::Data;

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
