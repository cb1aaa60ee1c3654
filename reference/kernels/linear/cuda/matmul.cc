// Matrix products of tensors on one GPU by cuBLASLt; the public matmul.h has
// the contract.
//
// The arithmetic differs from the CPU's in the order of additions only, and is
// the same in every run unless autotuning is on (gpu_libraries.h). Each
// algorithm is run once before it is chosen. Algorithms that include ReLU are
// run on NaN and must return NaN, which the library does not guarantee.

#include "reference/kernels/linear/matmul.h"

#include <memory>
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
#include "reference/kernels/cuda/tensor_memory.h"
#include "reference/kernels/cuda/try_plan.h"
#include "reference/kernels/gpu_libraries.h"
#include "reference/kernels/linear/cuda/cublaslt_plan.h"
#include "reference/kernels/plan_cache.h"
#include "reference/tensor/tensor.h"

namespace lockstep::cuda {

// relu(a b + bias); `bias` [n] may be undefined. Errors: Unimplemented if the
// library has no algorithm; ResourceExhausted; Internal. REQUIRES: matrices of
// one floating dtype and matching sizes, on one GPU.
Tensor Multiply(const Tensor& a, const Tensor& b, bool transpose_a,
                bool transpose_b, const Tensor& bias, bool relu);

using kernels_internal::Choice;
using kernels_internal::ChoosePlan;
using kernels_internal::Fusion;
using kernels_internal::FusionKinds;
using kernels_internal::MatMulSignature;
using kernels_internal::PlanCache;
using kernels_internal::PlanTrial;
using kernels_internal::TrialLimits;
using kernels_internal::Verdict;

namespace {

constexpr int kOffered = 8;  // algorithms per kind
// The limits of autotuning.
constexpr TrialLimits kTrialLimits{.of_a_kind = kOffered, .of_all = kOffered};
constexpr int kTimedRuns = 5;

// The cuBLASLt handle and plans of one logical device.
struct Library {
  Library() { CheckCublas(cublasLtCreate(&handle), "[MatMul] create"); }

  std::mutex mutex;  // a run writes to its plan
  cublasLtHandle_t handle = nullptr;
  PlanCache<MatMulSignature, MatMulPlan> plans;
};

Library& LibraryOf(const Device& device) {
  static auto* libraries = new PerDevice<Library>;  // never destroyed
  StreamOf(device);  // makes its GPU the current one
  return libraries->Of(device, [] { return std::make_unique<Library>(); });
}

// Enqueues cuBLASLt's part of the plan.
void RunProduct(Device& device, const Library& library, const MatMulPlan& plan,
                const MatMulArrays& arrays) {
  // Freed on return: later work in the stream may reuse it.
  const BufferPtr workspace = Buffer::Allocate(device, plan.workspace_bytes);
  plan.product->Run(library.handle, plan.algorithm, arrays, workspace->data(),
                    plan.workspace_bytes, StreamOf(device));
}

void Run(Device& device, const Library& library, const MatMulPlan& plan,
         const MatMulArrays& arrays) {
  const MatMulSignature& s = plan.product->signature();
  MatMulArrays of_product = arrays;
  BufferPtr wide;
  if (s.wide) {
    wide = Buffer::Allocate(device,
                            static_cast<size_t>(s.m * s.n) * sizeof(float));
    of_product.c = wide->data();
  }
  RunProduct(device, library, plan, of_product);
  if (!plan.bias_after && !plan.relu_after) return;
  CheckCuda(BiasRelu(StreamOf(device), s.dtype, arrays.c,
                     wide ? static_cast<const float*>(wide->data()) : nullptr,
                     plan.bias_after ? arrays.bias : nullptr, s.m, s.n,
                     plan.relu_after),
            "[MatMul] bias and ReLU");
}

// Runs the plan on NaN and returns whether c is NaN. Overwrites c.
bool KeepsNaN(Device& device, const Library& library, const MatMulPlan& plan,
              const MatMulArrays& arrays) {
  const MatMulSignature& s = plan.product->signature();
  const BufferPtr a = NaNs(device, s.m * s.k, s.dtype);
  MatMulArrays on_nan = arrays;
  on_nan.a = a->data();
  Run(device, library, plan, on_nan);
  return BeginsWithNaNs(device, arrays.c, s.m * s.n, s.dtype);
}

// A run fails at once if the library does not support the product after all.
Verdict TryOut(Device& device, const Library& library, const MatMulPlan& plan,
               const MatMulArrays& arrays) {
  if (plan.product->signature().relu) {
    return KeepsNaN(device, library, plan, arrays) ? Verdict::kTaken
                                                   : Verdict::kLosesNaN;
  }
  Run(device, library, plan, arrays);
  return Verdict::kTaken;
}

// The candidate plans of one kind.
std::vector<MatMulPlan> Offered(const Library& library,
                                const MatMulSignature& wanted,
                                const Fusion& fusion) {
  MatMulSignature kind = wanted;
  kind.bias = fusion.bias;
  kind.relu = fusion.relu;
  kind.wide = fusion.wide;
  const auto product = std::make_shared<const CublasLtProduct>(kind);
  std::vector<MatMulPlan> plans;
  for (const auto& found : product->Algorithms(library.handle, kOffered)) {
    plans.push_back({.product = product,
                     .algorithm = found.algo,
                     .workspace_bytes = found.workspaceSize,
                     .bias_after = wanted.bias && !fusion.bias,
                     .relu_after = wanted.relu && !fusion.relu});
  }
  return plans;
}

[[noreturn]] void FailNoAlgorithm(const MatMulSignature& signature,
                                  const Choice<MatMulPlan>& choice) {
  throw Unimplemented(
      "[MatMul] cuBLASLt {} has no algorithm, of {} offered, for {}{}",
      cublasLtGetVersion(), choice.offered, Describe(signature),
      choice.problem.empty()
          ? ""
          : fmt::format("; the last said: {}", choice.problem));
}

std::shared_ptr<const MatMulPlan> Choose(Device& device, const Library& library,
                                         const MatMulSignature& signature,
                                         const MatMulArrays& arrays,
                                         bool may_run) {
  const std::vector<Fusion> kinds =
      FusionKinds({signature.bias, signature.relu}, may_run,
                  IsNarrowFloat(signature.dtype));
  std::vector<MatMulPlan> offered;  // of the current kind
  const PlanTrial<MatMulPlan> trial{
      .offers =
          [&](size_t kind) {
            offered = Offered(library, signature, kinds[kind]);
            return offered.size();
          },
      .build =
          [&](size_t, size_t i) {
            return std::make_unique<MatMulPlan>(offered[i]);
          },
      .try_out =
          [&](const MatMulPlan& plan) {
            if (!HasRoom(device, static_cast<int64_t>(plan.workspace_bytes))) {
              return Verdict::kRefused;
            }
            return may_run ? TryOut(device, library, plan, arrays)
                           : Verdict::kTaken;
          },
      .seconds =
          [&](const MatMulPlan& plan) {
            const auto run = [&] { Run(device, library, plan, arrays); };
            return CapturedRuns(device, kTimedRuns, run).Seconds() / kTimedRuns;
          }};
  Choice<MatMulPlan> choice =
      ChoosePlan(kinds.size(), trial,
                 signature.autotune && may_run ? kTrialLimits : TrialLimits{});
  if (choice.plan == nullptr) FailNoAlgorithm(signature, choice);
  return std::move(choice.plan);
}

std::shared_ptr<const MatMulPlan> PlanFor(Device& device, Library& library,
                                          const MatMulSignature& signature,
                                          const MatMulArrays& arrays) {
  if (IsCapturing(StreamOf(device))) {
    // No trials are possible during a capture, and an untried plan is not
    // cached.
    if (auto plan = library.plans.Find(signature)) return plan;
    return Choose(device, library, signature, arrays, /*may_run=*/false);
  }
  return library.plans.Get(signature, [&] {
    return Choose(device, library, signature, arrays, /*may_run=*/true);
  });
}

// The product as a call with its own memory, to be timed alone.
LibraryCall CallOf(Device& device, Library& library,
                   std::shared_ptr<const MatMulPlan> plan) {
  const auto prepare = [&device, &library, plan]() -> std::function<void()> {
    const MatMulSignature& s = plan->product->signature();
    const BufferPtr a = Ordinary(device, s.m * s.k, s.dtype);
    const BufferPtr b = Ordinary(device, s.k * s.n, s.dtype);
    const BufferPtr bias = Ordinary(device, s.n, s.dtype);
    const BufferPtr c =
        Ordinary(device, s.m * s.n, s.wide ? DType::kFloat32 : s.dtype);
    return [&device, &library, plan, a, b, bias, c] {
      std::lock_guard lock(library.mutex);
      RunProduct(device, library, *plan,
                 {a->data(), b->data(), bias->data(), c->data()});
    };
  };
  return {kernels_internal::Describe(plan->product->signature()), prepare};
}

// The result of a product over zero terms.
void SetToBias(Device& device, Tensor& c, const Tensor& bias, bool relu) {
  const cudaStream_t stream = StreamOf(device);
  CheckCuda(cudaMemsetAsync(c.mutable_raw_data(), 0, c.bytes(), stream),
            "[MatMul] zeros");
  CheckCuda(BiasRelu(stream, c.dtype(), c.mutable_raw_data(), nullptr,
                     Data(bias), c.dim(0), c.dim(1), relu),
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

namespace lockstep::kernels {

namespace {

Tensor MatMulOnGpu(const Tensor& a, const Tensor& b, bool transpose_a,
                   bool transpose_b) {
  return cuda::Multiply(a, b, transpose_a, transpose_b, Tensor(),
                        /*relu=*/false);
}

// Its gradient consists of other kernels, so it needs no registration.
Tensor DenseOnGpu(const Tensor& x, const Tensor& kernel, const Tensor& bias,
                  bool relu) {
  return cuda::Multiply(x, kernel, false, false, bias, relu);
}

const RegisterKernel kMatMul(gpu::MatMul, &MatMulOnGpu);
const RegisterKernel kDense(gpu::Dense, &DenseOnGpu);

}  // namespace
}  // namespace lockstep::kernels
