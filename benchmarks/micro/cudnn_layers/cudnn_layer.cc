// Registers cuDNN's layers for layers/layer_run.h.
#include <cuda_runtime_api.h>
#include <fmt/core.h>

#include <memory>
#include <vector>

#include "benchmarks/micro/cudnn_layers/cudnn_calls.h"
#include "benchmarks/micro/layers/layer_run.h"
#include "reference/device/cuda/check_cuda.h"
#include "reference/device/cuda/cuda_memory.h"

namespace lockstep::benchmarks {
namespace {

using Results = std::vector<Tensor>;

cudnnPoolingMode_t PoolingModeOf(const LayerWork& work,
                                 const std::string& way) {
  if (work.kind == LayerKind::kAvgPool) {
    return CUDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING;
  }
  return way == kCudnnDeterministic ? CUDNN_POOLING_MAX_DETERMINISTIC
                                    : CUDNN_POOLING_MAX;
}

LayerRun Pool(const LayerWork& work, const LayerInputs& in,
              const std::string& way) {
  const auto pool =
      std::make_shared<const CudnnPool>(work, PoolingModeOf(work, way));
  if (work.pass == LayerPass::kForward) {
    return [=] { return Results{pool->Forward(in.x)}; };
  }
  const Tensor y = pool->Forward(in.x);
  return [=] { return Results{pool->Backward(in.x, y, in.dy)}; };
}

LayerRun BatchNorm(const LayerWork& work, const LayerInputs& in,
                   const std::string& way) {
  const auto norm = std::make_shared<const CudnnBatchNorm>(
      work,
      way == kCudnnPersistent ? CUDNN_BATCHNORM_SPATIAL_PERSISTENT
                              : CUDNN_BATCHNORM_SPATIAL,
      kBatchNormEpsilon);
  if (work.pass == LayerPass::kForward) {
    return [=] {
      const auto result = norm->Forward(in.x, in.gamma, in.beta);
      return Results{result.y, result.mean};
    };
  }
  const auto result = norm->Forward(in.x, in.gamma, in.beta);
  return [=] {
    const auto gradients = norm->Backward(in.x, in.gamma, result, in.dy);
    return Results{gradients.x, gradients.gamma, gradients.beta};
  };
}

LayerRun Softmax(const LayerWork& work, const LayerInputs& in) {
  const auto softmax = std::make_shared<const CudnnSoftmax>(work);
  if (work.pass == LayerPass::kForward) {
    return [=] { return Results{softmax->Forward(in.x)}; };
  }
  const Tensor y = softmax->Forward(in.x);
  return [=] { return Results{softmax->Backward(y, in.dy)}; };
}

LayerRun Make(const LayerWork& work, const LayerInputs& inputs,
              const std::string& way) {
  if (work.is_pool()) return Pool(work, inputs, way);
  if (work.kind == LayerKind::kBatchNorm) return BatchNorm(work, inputs, way);
  return Softmax(work, inputs);
}

std::string Describe(const Device& device) {
  cudaDeviceProp properties{};
  CheckCuda(cudaGetDeviceProperties(&properties, CudaMemory::Of(device).gpu()),
            "[DescribeCudnn]");
  const size_t version = cudnnGetVersion();  // 91900 is 9.19.0
  return fmt::format("cuDNN {}.{}.{}, {}", version / 10000, version / 100 % 100,
                     version % 100, static_cast<const char*>(properties.name));
}

const RegisterKernel layer(CudnnLayer, &Make);
const RegisterKernel description(DescribeCudnn, &Describe);

}  // namespace
}  // namespace lockstep::benchmarks
