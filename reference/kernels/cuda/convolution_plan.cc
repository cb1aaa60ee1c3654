#include "reference/kernels/cuda/convolution_plan.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "reference/base/error.h"
#include "reference/device/buffer.h"
#include "reference/device/cuda/check_cuda.h"
#include "reference/device/cuda/cuda_memory.h"
#include "reference/kernels/cuda/bias_relu.h"
#include "reference/kernels/cuda/choose_plan.h"
#include "reference/kernels/cuda/fusion_kinds.h"
#include "reference/kernels/cuda/per_device.h"
#include "reference/kernels/cuda/plan_cache.h"
#include "reference/kernels/cuda/time_on_stream.h"
#include "reference/kernels/cuda/try_plan.h"

namespace lockstep::cuda {

using kernels_internal::ConvolutionSignature;
using kernels_internal::Fusion;
using kernels_internal::FusionKinds;

namespace {

using Plans =
    kernels_internal::PlanCache<ConvolutionSignature, ConvolutionPlan>;

// Timed when autotuning, of each kind and of all.
constexpr size_t kFewOfAKind = 4;
constexpr int kFewPlans = 12;

// A plan that is not ready yet.
struct Candidate {
  std::shared_ptr<const ConvolutionGraph> graph;
  BackendDescriptor config;
  ConvolutionSignature signature;
};

void AddCandidates(const CudnnHandle& handle,
                   const ConvolutionSignature& signature, size_t most,
                   std::vector<Candidate>& candidates) {
  const auto graph =
      std::make_shared<const ConvolutionGraph>(handle.get(), signature);
  std::vector<BackendDescriptor> configs = graph->Engines();
  for (size_t i = 0; i < std::min(most, configs.size()); ++i) {
    candidates.push_back({graph, std::move(configs[i]), signature});
  }
}

GraphTensors TensorsOf(const ConvolutionSignature& signature,
                       const ConvolutionArrays& arrays) {
  GraphTensors tensors{{kConvolutionX, kConvolutionFilter, kConvolutionY},
                       {arrays.x, arrays.filter, arrays.y}};
  if (signature.bias) {
    tensors.ids.push_back(kConvolutionBias);
    tensors.pointers.push_back(arrays.bias);
  }
  return tensors;
}

// Whether a run on NaN gives NaN. Overwrites y.
bool KeepsNaN(Device& device, CudnnHandle& handle, const ConvolutionPlan& plan,
              const ConvolutionArrays& arrays) {
  const ConvolutionSignature& s = plan.signature;
  const BufferPtr x = NaNs(device, s.images * s.shape.x_image(), s.dtype);
  ConvolutionArrays on_nan = arrays;
  on_nan.x = x->data();
  RunConvolution(device, handle, plan, on_nan);
  return BeginsWithNaNs(device, arrays.y, s.images * s.shape.y_image(),
                        s.dtype);
}

std::unique_ptr<ConvolutionPlan> Build(const CudnnHandle& handle,
                                       const ConvolutionSignature& wanted,
                                       Candidate& candidate) {
  auto engine = EnginePlan::Make(handle.get(), std::move(candidate.config));
  if (engine == nullptr) return nullptr;
  auto plan = std::make_unique<ConvolutionPlan>();
  plan->graph = candidate.graph;
  plan->engine = std::move(engine);
  plan->signature = candidate.signature;
  plan->bias_behind = wanted.bias && !candidate.signature.bias;
  plan->relu_behind = wanted.relu && !candidate.signature.relu;
  return plan;
}

// `may_run`: plans may be tried out.
std::shared_ptr<const ConvolutionPlan> Choose(
    Device& device, CudnnHandle& handle, const ConvolutionSignature& signature,
    const ConvolutionArrays& arrays, bool may_run) {
  const bool autotune = signature.autotune && may_run;
  std::vector<Candidate> candidates;
  for (const Fusion& fusion :
       FusionKinds({signature.bias, signature.relu}, may_run)) {
    ConvolutionSignature kind = signature;
    kind.bias = fusion.bias;
    kind.relu = fusion.relu;
    AddCandidates(handle, kind, autotune ? kFewOfAKind : SIZE_MAX, candidates);
  }
  std::unique_ptr<ConvolutionPlan> plan =
      kernels_internal::ChoosePlan<ConvolutionPlan>(
          candidates.size(),
          {.build =
               [&](size_t i) {
                 return Build(handle, signature, candidates[i]);
               },
           .accept =
               [&](const ConvolutionPlan& p) {
                 return HasRoom(device, p.engine->workspace_bytes()) &&
                        (!p.signature.relu ||
                         KeepsNaN(device, handle, p, arrays));
               },
           .seconds =
               [&](const ConvolutionPlan& p) {
                 return SecondsOnStream(StreamOf(device), [&] {
                   RunConvolution(device, handle, p, arrays);
                 });
               }},
          autotune ? kFewPlans : 1);
  if (plan == nullptr) {
    throw Unimplemented(
        "[Conv2D] cuDNN {} has no engine, of {} offered, for images {} x {} x "
        "{} and a filter {} x {} x {} x {} of {}",
        cudnnGetVersion(), candidates.size(), signature.shape.height,
        signature.shape.width, signature.shape.inputs,
        signature.shape.filter_rows, signature.shape.filter_columns,
        signature.shape.inputs, signature.shape.outputs,
        DTypeName(signature.dtype));
  }
  return plan;
}

Plans& PlansOf(const Device& device) {
  static auto* plans = new PerDevice<Plans>;  // never destroyed, as the handles
  return plans->Of(device, [] { return std::make_unique<Plans>(); });
}

}  // namespace

std::shared_ptr<const ConvolutionPlan> PlanConvolution(
    Device& device, CudnnHandle& handle, const ConvolutionSignature& signature,
    const ConvolutionArrays& arrays) {
  Plans& plans = PlansOf(device);
  if (IsCapturing(StreamOf(device))) {
    if (auto plan = plans.Find(signature)) return plan;
    return Choose(device, handle, signature, arrays, /*may_run=*/false);
  }
  return plans.Get(signature, [&] {
    return Choose(device, handle, signature, arrays, /*may_run=*/true);
  });
}

void RunEngine(Device& device, CudnnHandle& handle, const ConvolutionPlan& plan,
               const ConvolutionArrays& arrays) {
  // Given back at once: what follows in the stream may use the memory again.
  const BufferPtr workspace = Buffer::Allocate(
      device, static_cast<size_t>(plan.engine->workspace_bytes()));
  plan.engine->Run(handle.get(), TensorsOf(plan.signature, arrays),
                   workspace->data());
}

void RunConvolution(Device& device, CudnnHandle& handle,
                    const ConvolutionPlan& plan,
                    const ConvolutionArrays& arrays) {
  RunEngine(device, handle, plan, arrays);
  if (!plan.bias_behind && !plan.relu_behind) return;
  const ConvolutionSignature& s = plan.signature;
  CheckCuda(BiasRelu(StreamOf(device), s.dtype, arrays.y,
                     plan.bias_behind ? arrays.bias : nullptr,
                     s.images * s.shape.rows.count * s.shape.columns.count,
                     s.shape.outputs, plan.relu_behind),
            "[Conv2D] bias and ReLU");
}

}  // namespace lockstep::cuda
