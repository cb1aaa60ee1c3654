#include "reference/kernels/convolution/cuda/convolution_plan.h"

#include <fmt/core.h>

#include <mutex>
#include <utility>
#include <vector>

#include "reference/base/error.h"
#include "reference/device/buffer.h"
#include "reference/device/cuda/check_cuda.h"
#include "reference/device/cuda/cuda_memory.h"
#include "reference/device/device_timer.h"
#include "reference/kernels/cuda/bias_relu.h"
#include "reference/kernels/cuda/choose_plan.h"
#include "reference/kernels/cuda/per_device.h"
#include "reference/kernels/cuda/try_plan.h"
#include "reference/kernels/plan_cache.h"

namespace lockstep::cuda {

using kernels_internal::Choice;
using kernels_internal::ChoosePlan;
using kernels_internal::ConvolutionSignature;
using kernels_internal::Fusion;
using kernels_internal::FusionKinds;
using kernels_internal::PlanTrial;
using kernels_internal::TrialLimits;
using kernels_internal::Verdict;

namespace {

using Plans =
    kernels_internal::PlanCache<ConvolutionSignature, ConvolutionPlan>;

// The limits of autotuning.
constexpr TrialLimits kTrialLimits{.of_a_kind = 4, .of_all = 12};
constexpr int kTimedRuns = 5;

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

// Runs the plan on NaN and returns whether y is NaN. Overwrites y.
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

// A run fails at once if the engine does not support the graph after all.
Verdict TryOut(Device& device, CudnnHandle& handle, const ConvolutionPlan& plan,
               const ConvolutionArrays& arrays) {
  if (plan.signature.relu) {
    return KeepsNaN(device, handle, plan, arrays) ? Verdict::kTaken
                                                  : Verdict::kLosesNaN;
  }
  RunConvolution(device, handle, plan, arrays);
  return Verdict::kTaken;
}

// The engines for one division of the work between cuDNN and our kernels.
struct Kind {
  ConvolutionSignature signature;
  std::shared_ptr<const ConvolutionGraph> graph;
  std::vector<BackendDescriptor> engines;
};

std::vector<Kind> KindsOf(const ConvolutionSignature& wanted, bool may_run) {
  std::vector<Kind> kinds;
  for (const Fusion& fusion : FusionKinds({wanted.bias, wanted.relu}, may_run,
                                          IsNarrowFloat(wanted.dtype))) {
    Kind& kind = kinds.emplace_back();
    kind.signature = wanted;
    kind.signature.bias = fusion.bias;
    kind.signature.relu = fusion.relu;
    kind.signature.wide = fusion.wide;
  }
  return kinds;
}

std::unique_ptr<ConvolutionPlan> Build(const CudnnHandle& handle,
                                       const ConvolutionSignature& wanted,
                                       Kind& kind, size_t i) {
  auto plan = std::make_unique<ConvolutionPlan>();
  plan->engine =
      std::make_unique<EnginePlan>(handle.get(), std::move(kind.engines[i]));
  plan->graph = kind.graph;
  plan->signature = kind.signature;
  plan->bias_after = wanted.bias && !kind.signature.bias;
  plan->relu_after = wanted.relu && !kind.signature.relu;
  return plan;
}

[[noreturn]] void FailNoEngine(const ConvolutionSignature& signature,
                               const Choice<ConvolutionPlan>& choice) {
  throw Unimplemented(
      "[Conv2D] cuDNN {} has no engine, of {} offered, for {}{}",
      cudnnGetVersion(), choice.offered, Describe(signature),
      choice.problem.empty()
          ? ""
          : fmt::format("; the last said: {}", choice.problem));
}

// Tries plans only if `may_run`.
std::shared_ptr<const ConvolutionPlan> Choose(
    Device& device, CudnnHandle& handle, const ConvolutionSignature& signature,
    const ConvolutionArrays& arrays, bool may_run) {
  std::vector<Kind> kinds = KindsOf(signature, may_run);
  const PlanTrial<ConvolutionPlan> trial{
      .offers =
          [&](size_t kind) {
            Kind& asked = kinds[kind];
            asked.graph = std::make_shared<const ConvolutionGraph>(
                handle.get(), asked.signature);
            asked.engines = asked.graph->Engines();
            return asked.engines.size();
          },
      .build =
          [&](size_t kind, size_t i) {
            return Build(handle, signature, kinds[kind], i);
          },
      .try_out =
          [&](const ConvolutionPlan& plan) {
            if (!HasRoom(device, plan.engine->workspace_bytes())) {
              return Verdict::kRefused;
            }
            return may_run ? TryOut(device, handle, plan, arrays)
                           : Verdict::kTaken;
          },
      .seconds =
          [&](const ConvolutionPlan& plan) {
            const auto run = [&] {
              RunConvolution(device, handle, plan, arrays);
            };
            return CapturedRuns(device, kTimedRuns, run).Seconds() / kTimedRuns;
          }};
  Choice<ConvolutionPlan> choice =
      ChoosePlan(kinds.size(), trial,
                 signature.autotune && may_run ? kTrialLimits : TrialLimits{});
  if (choice.plan == nullptr) FailNoEngine(signature, choice);
  return std::move(choice.plan);
}

Plans& PlansOf(const Device& device) {
  static auto* plans =
      new PerDevice<Plans>;  // never destroyed, like the handles
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
  // Freed on return: later work in the stream may reuse it.
  const BufferPtr workspace = Buffer::Allocate(
      device, static_cast<size_t>(plan.engine->workspace_bytes()));
  plan.engine->Run(handle.get(), TensorsOf(plan.signature, arrays),
                   workspace->data());
}

void RunConvolution(Device& device, CudnnHandle& handle,
                    const ConvolutionPlan& plan,
                    const ConvolutionArrays& arrays) {
  const ConvolutionSignature& s = plan.signature;
  ConvolutionArrays of_engine = arrays;
  BufferPtr wide;
  if (s.wide) {
    wide = Buffer::Allocate(
        device,
        static_cast<size_t>(s.images * s.shape.y_image()) * sizeof(float));
    of_engine.y = wide->data();
  }
  RunEngine(device, handle, plan, of_engine);
  if (!plan.bias_after && !plan.relu_after) return;
  CheckCuda(BiasRelu(StreamOf(device), s.dtype, arrays.y,
                     wide ? static_cast<const float*>(wide->data()) : nullptr,
                     plan.bias_after ? arrays.bias : nullptr,
                     s.images * s.shape.rows.count * s.shape.columns.count,
                     s.shape.outputs, plan.relu_after),
            "[Conv2D] bias and ReLU");
}

using kernels_internal::ConvolutionSignature;

namespace {

// Memory for the arrays of one convolution.
struct Memory {
  Memory(Device& device, const ConvolutionSignature& s)
      : x(Ordinary(device, s.images * s.shape.x_image(), s.dtype)),
        filter(Ordinary(device, s.shape.filter_size(), s.dtype)),
        y(Ordinary(device, s.images * s.shape.y_image(),
                   s.wide ? DType::kFloat32 : s.dtype)),
        bias(Ordinary(device, s.shape.outputs, s.dtype)) {}

  ConvolutionArrays arrays() const {
    return {x->data(), filter->data(), y->data(), bias->data()};
  }

  BufferPtr x, filter, y, bias;
};

}  // namespace

LibraryCall ConvolutionCall(Device& device,
                            std::shared_ptr<const ConvolutionPlan> plan) {
  const auto prepare = [&device, plan]() -> std::function<void()> {
    const auto memory = std::make_shared<Memory>(device, plan->signature);
    return [&device, plan, memory] {
      CudnnHandle& handle = CudnnHandle::Of(device);
      std::lock_guard lock(handle.mutex());
      RunEngine(device, handle, *plan, memory->arrays());
    };
  };
  return {
      fmt::format("{}, engine {}", kernels_internal::Describe(plan->signature),
                  plan->engine->engine()),
      prepare};
}

}  // namespace lockstep::cuda
