#include "benchmarks/micro/layers/own_layer.h"

#include <vector>

#include "reference/kernels/avg_pool2d.h"
#include "reference/kernels/batch_norm.h"
#include "reference/kernels/max_pool2d.h"
#include "reference/kernels/softmax.h"

namespace lockstep::benchmarks {
namespace {

using Results = std::vector<Tensor>;

LayerRun MaxPool(const LayerWork& work, const LayerInputs& in) {
  if (work.pass == LayerPass::kForward) {
    return [=] { return Results{kernels::MaxPool2D(in.x, work.windows).y}; };
  }
  const Tensor argmax = kernels::MaxPool2D(in.x, work.windows).argmax;
  return [=] {
    return Results{
        kernels::MaxPool2DBackward(work.x, argmax, in.dy, work.windows)};
  };
}

LayerRun AvgPool(const LayerWork& work, const LayerInputs& in) {
  if (work.pass == LayerPass::kForward) {
    return [=] { return Results{kernels::AvgPool2D(in.x, work.windows)}; };
  }
  return [=] {
    return Results{kernels::AvgPool2DBackward(work.x, in.dy, work.windows)};
  };
}

LayerRun Softmax(const LayerWork& work, const LayerInputs& in) {
  if (work.pass == LayerPass::kForward) {
    return [=] { return Results{kernels::Softmax(in.x)}; };
  }
  const Tensor y = kernels::Softmax(in.x);
  return [=] { return Results{kernels::SoftmaxBackward(y, in.dy)}; };
}

Tensor CastTo(DType dtype, const Tensor& tensor) {
  return tensor.dtype() == dtype ? tensor : tensor.Cast(dtype);
}

LayerRun BatchNorm(const LayerWork& work, const LayerInputs& in) {
  const kernels::BatchNormOptions options{.epsilon = kBatchNormEpsilon};
  const auto forward = [=](const Tensor& x) {
    return kernels::BatchNorm(x, in.gamma, in.beta, {}, options);
  };
  if (work.pass == LayerPass::kForward) {
    return [=] {
      const auto result = forward(CastTo(DType::kFloat32, in.x));
      return Results{CastTo(work.dtype, result.y), result.mean};
    };
  }
  // The forward pass leaves x in float32 for the gradient, the tape keeps it.
  const Tensor x = CastTo(DType::kFloat32, in.x);
  const auto result = forward(x);
  const kernels::BatchNormSaved saved{.x = x,
                                      .gamma = in.gamma,
                                      .mean = result.mean,
                                      .variance = result.variance,
                                      .y = {}};
  return [=] {
    const auto gradients = kernels::BatchNormBackward(
        saved, CastTo(DType::kFloat32, in.dy), options, /*need_addend=*/false);
    return Results{CastTo(work.dtype, gradients.x), gradients.gamma,
                   gradients.beta};
  };
}

}  // namespace

LayerRun OwnLayer(const LayerWork& work, const LayerInputs& inputs) {
  switch (work.kind) {
    case LayerKind::kMaxPool:
      return MaxPool(work, inputs);
    case LayerKind::kAvgPool:
      return AvgPool(work, inputs);
    case LayerKind::kBatchNorm:
      return BatchNorm(work, inputs);
    case LayerKind::kSoftmax:
      break;
  }
  return Softmax(work, inputs);
}

}  // namespace lockstep::benchmarks
