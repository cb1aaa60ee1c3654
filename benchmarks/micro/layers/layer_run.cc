#include "benchmarks/micro/layers/layer_run.h"

#include <vector>

#include "reference/kernels/normalization/batch_norm.h"
#include "reference/kernels/normalization/softmax.h"
#include "reference/kernels/pooling/pool2d.h"

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

LayerRun BatchNorm(const LayerWork& work, const LayerInputs& in) {
  const kernels::BatchNormOptions options{.epsilon = kBatchNormEpsilon};
  const auto forward = [=](const Tensor& x) {
    return kernels::BatchNorm(x, in.gamma, in.beta, {}, options);
  };
  if (work.pass == LayerPass::kForward) {
    return [=] {
      const auto result = forward(in.x.Cast(DType::kFloat32));
      return Results{result.y.Cast(work.dtype), result.mean};
    };
  }
  // The forward pass leaves x in float32 for the gradient, the tape keeps it.
  const Tensor x = in.x.Cast(DType::kFloat32);
  const auto result = forward(x);
  const kernels::BatchNormSaved saved{.x = x,
                                      .gamma = in.gamma,
                                      .mean = result.mean,
                                      .variance = result.variance,
                                      .y = {}};
  return [=] {
    const auto gradients = kernels::BatchNormBackward(
        saved, in.dy.Cast(DType::kFloat32), options, /*need_addend=*/false);
    return Results{gradients.x.Cast(work.dtype), gradients.gamma,
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
