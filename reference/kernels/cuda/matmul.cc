#include "reference/kernels/cuda/matmul.h"

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "reference/base/error.h"
#include "reference/device/buffer.h"
#include "reference/device/cuda/check_cuda.h"
#include "reference/device/cuda/cuda_memory.h"
#include "reference/kernels/cuda/aligned.h"
#include "reference/kernels/cuda/bias_relu.h"
#include "reference/kernels/cuda/choose_plan.h"
#include "reference/kernels/cuda/cublaslt_plan.h"
#include "reference/kernels/cuda/fusion_kinds.h"
#include "reference/kernels/cuda/per_device.h"
#include "reference/kernels/cuda/plan_cache.h"
#include "reference/kernels/cuda/time_on_stream.h"
#include "reference/kernels/cuda/try_plan.h"
#include "reference/kernels/gpu_math.h"
#include "reference/kernels/library_calls.h"

namespace lockstep::cuda {

using kernels_internal::Fusion;
using kernels_internal::FusionKinds;
using kernels_internal::MatMulSignature;
using kernels_internal::PlanCache;

namespace {

constexpr int kOfAKind = 8;   // algorithms asked for
constexpr int kFewPlans = 8;  // timed when autotuning

// cuBLASLt of one logical device.
struct Library {
  Library() { CheckCublas(cublasLtCreate(&handle), "[MatMul] create"); }

  std::mutex mutex;  // plans hold what a run writes
  cublasLtHandle_t handle = nullptr;
  PlanCache<MatMulSignature, MatMulPlan> plans;
};

Library& LibraryOf(const Device& device) {
  static auto* libraries = new PerDevice<Library>;  // never destroyed
  StreamOf(device);  // makes its GPU the current one
  return libraries->Of(device, [] { return std::make_unique<Library>(); });
}

// What is cuBLASLt's of the run.
void RunProduct(Device& device, const Library& library, const MatMulPlan& plan,
                const MatMulArrays& arrays) {
  // Given back at once: what follows in the stream may use the memory again.
  const BufferPtr workspace = Buffer::Allocate(device, plan.workspace_bytes);
  plan.product->Run(library.handle, plan.algorithm, arrays, workspace->data(),
                    plan.workspace_bytes, StreamOf(device));
}

void Run(Device& device, const Library& library, const MatMulPlan& plan,
         const MatMulArrays& arrays) {
  RunProduct(device, library, plan, arrays);
  if (!plan.bias_behind && !plan.relu_behind) return;
  const MatMulSignature& s = plan.product->signature();
  CheckCuda(BiasRelu(StreamOf(device), s.dtype, arrays.c,
                     plan.bias_behind ? arrays.bias : nullptr, s.m, s.n,
                     plan.relu_behind),
            "[MatMul] bias and ReLU");
}

// Whether a run on NaN gives NaN. Overwrites c.
bool KeepsNaN(Device& device, const Library& library, const MatMulPlan& plan,
              const MatMulArrays& arrays) {
  const MatMulSignature& s = plan.product->signature();
  const BufferPtr a = NaNs(device, s.m * s.k, s.dtype);
  MatMulArrays on_nan = arrays;
  on_nan.a = a->data();
  Run(device, library, plan, on_nan);
  return BeginsWithNaNs(device, arrays.c, s.m * s.n, s.dtype);
}

std::vector<MatMulPlan> Candidates(const Library& library,
                                   const MatMulSignature& signature,
                                   bool may_run) {
  std::vector<MatMulPlan> candidates;
  for (const Fusion& fusion :
       FusionKinds({signature.bias, signature.relu}, may_run)) {
    MatMulSignature kind = signature;
    kind.bias = fusion.bias;
    kind.relu = fusion.relu;
    const auto product = std::make_shared<const CublasLtProduct>(kind);
    for (const auto& found : product->Algorithms(library.handle, kOfAKind)) {
      candidates.push_back({.product = product,
                            .algorithm = found.algo,
                            .workspace_bytes = found.workspaceSize,
                            .bias_behind = signature.bias && !fusion.bias,
                            .relu_behind = signature.relu && !fusion.relu});
    }
  }
  return candidates;
}

std::shared_ptr<const MatMulPlan> Choose(Device& device, const Library& library,
                                         const MatMulSignature& signature,
                                         const MatMulArrays& arrays,
                                         bool may_run) {
  const std::vector<MatMulPlan> candidates =
      Candidates(library, signature, may_run);
  std::unique_ptr<MatMulPlan> plan = kernels_internal::ChoosePlan<MatMulPlan>(
      candidates.size(),
      {.build =
           [&](size_t i) {
             return std::make_unique<MatMulPlan>(candidates[i]);
           },
       .accept =
           [&](const MatMulPlan& p) {
             return HasRoom(device, static_cast<int64_t>(p.workspace_bytes)) &&
                    (!p.product->signature().relu ||
                     KeepsNaN(device, library, p, arrays));
           },
       .seconds =
           [&](const MatMulPlan& p) {
             return SecondsOnStream(StreamOf(device),
                                    [&] { Run(device, library, p, arrays); });
           }},
      signature.autotune && may_run ? kFewPlans : 1);
  if (plan == nullptr) {
    throw Unimplemented(
        "[MatMul] cuBLASLt {} has no algorithm, of {} offered, for {} x {} "
        "times {} x {} of {}",
        cublasLtGetVersion(), candidates.size(), signature.m, signature.k,
        signature.k, signature.n, DTypeName(signature.dtype));
  }
  return plan;
}

std::shared_ptr<const MatMulPlan> PlanFor(Device& device, Library& library,
                                          const MatMulSignature& signature,
                                          const MatMulArrays& arrays) {
  if (IsCapturing(StreamOf(device))) {
    // Nothing can be tried out now, nor is what is taken instead kept.
    if (auto plan = library.plans.Find(signature)) return plan;
    return Choose(device, library, signature, arrays, /*may_run=*/false);
  }
  return library.plans.Get(signature, [&] {
    return Choose(device, library, signature, arrays, /*may_run=*/true);
  });
}

// The product alone, over memory of its own.
LibraryCall CallOf(Device& device, Library& library,
                   std::shared_ptr<const MatMulPlan> plan) {
  const auto prepare = [&device, &library, plan]() -> std::function<void()> {
    const MatMulSignature& s = plan->product->signature();
    const BufferPtr a = Ordinary(device, s.m * s.k, s.dtype);
    const BufferPtr b = Ordinary(device, s.k * s.n, s.dtype);
    const BufferPtr bias = Ordinary(device, s.n, s.dtype);
    const BufferPtr c = Ordinary(device, s.m * s.n, s.dtype);
    return [&device, &library, plan, a, b, bias, c] {
      std::lock_guard lock(library.mutex);
      RunProduct(device, library, *plan,
                 {a->data(), b->data(), bias->data(), c->data()});
    };
  };
  return {kernels_internal::Describe(plan->product->signature()), prepare};
}

// A product of no terms.
void SetToBias(Device& device, Tensor& c, const Tensor& bias, bool relu) {
  const cudaStream_t stream = StreamOf(device);
  CheckCuda(cudaMemsetAsync(c.mutable_raw_data(), 0, c.bytes(), stream),
            "[MatMul] zeros");
  CheckCuda(BiasRelu(stream, c.dtype(), c.mutable_raw_data(), Data(bias),
                     c.dim(0), c.dim(1), relu),
            "[MatMul] bias and ReLU");
}

}  // namespace

Tensor Multiply(const Tensor& a, const Tensor& b, bool transpose_a,
                bool transpose_b, const Tensor& bias, bool relu) {
  const GpuMath math = CurrentGpuMath();
  const MatMulSignature signature{.dtype = a.dtype(),
                                  .m = a.dim(transpose_a ? 1 : 0),
                                  .n = b.dim(transpose_b ? 0 : 1),
                                  .k = a.dim(transpose_a ? 0 : 1),
                                  .transpose_a = transpose_a,
                                  .transpose_b = transpose_b,
                                  .bias = bias.defined(),
                                  .relu = relu,
                                  .allow_tf32 = math.allow_tf32,
                                  .autotune = math.autotune};
  Device& device = a.device();
  Tensor c =
      Tensor::Empty(Shape{signature.m, signature.n}, signature.dtype, device);
  if (c.num_elements() == 0) return c;
  if (signature.k == 0) {
    SetToBias(device, c, bias, relu);
    return c;
  }
  const Tensor first = Aligned(a);
  const Tensor second = Aligned(b);
  const Tensor offset = bias.defined() ? Aligned(bias) : bias;
  const MatMulArrays arrays{Data(first), Data(second), Data(offset), Data(c)};
  Library& library = LibraryOf(device);
  std::lock_guard lock(library.mutex);
  const auto plan = PlanFor(device, library, signature, arrays);
  Run(device, library, *plan, arrays);
  if (LibraryCalls* calls = LibraryCalls::Current()) {
    calls->Add(CallOf(device, library, plan));
  }
  return c;
}

}  // namespace lockstep::cuda
