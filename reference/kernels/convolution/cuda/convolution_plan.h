// The plan of a convolution: an engine of cuDNN, and the work left to our
// kernels.
//
// Plans are chosen once per signature and logical device. Candidates are
// cuDNN's engines in the order of its heuristics: first those that include bias
// and ReLU, then those that leave ReLU, then also bias, to our own kernel. Each
// is run once before it is chosen. Engines that include ReLU are run on NaN,
// and must return NaN: the kernels' contract requires it, and cuDNN has an
// option for it but no guarantee.
#ifndef LOCKSTEP_REFERENCE_KERNELS_CONVOLUTION_CUDA_CONVOLUTION_PLAN_H_
#define LOCKSTEP_REFERENCE_KERNELS_CONVOLUTION_CUDA_CONVOLUTION_PLAN_H_

#include <cuda_runtime_api.h>

#include <memory>

#include "reference/device/device.h"
#include "reference/kernels/convolution/cuda/convolution_graph.h"
#include "reference/kernels/convolution/cuda/convolution_signature.h"
#include "reference/kernels/convolution/cuda/cudnn_handle.h"
#include "reference/kernels/convolution/cuda/engine_plan.h"
#include "reference/kernels/gpu_libraries.h"

namespace lockstep::cuda {

// x, filter and y or their gradients, the filter as [O, H, W, I]. The pass
// determines which one is written. `bias` may be nullptr.
struct ConvolutionArrays {
  void* x = nullptr;
  void* filter = nullptr;
  void* y = nullptr;
  void* bias = nullptr;
};

struct ConvolutionPlan {
  std::shared_ptr<const ConvolutionGraph> graph;  // the engine's
  std::unique_ptr<EnginePlan> engine;
  kernels_internal::ConvolutionSignature signature;  // of the engine's part
  bool bias_after = false;                           // our own kernel adds it
  bool relu_after = false;
};

// The plan for `signature` on `device`, from its cache. Trial runs use `arrays`
// and overwrite the output. While the device's stream is captured, no trials
// are possible: the result is then the first plan without its own ReLU, which
// is not cached. Errors: Unimplemented if cuDNN has no engine; Internal;
// ResourceExhausted. REQUIRES: the handle's mutex is held; padding is the same
// on both sides.
std::shared_ptr<const ConvolutionPlan> PlanConvolution(
    Device& device, CudnnHandle& handle,
    const kernels_internal::ConvolutionSignature& signature,
    const ConvolutionArrays& arrays);

// Enqueues cuDNN's part of the plan. y is float32 if the plan's signature is
// wide. Errors and REQUIRES as below.
void RunEngine(Device& device, CudnnHandle& handle, const ConvolutionPlan& plan,
               const ConvolutionArrays& arrays);

// Enqueues the whole plan. Errors: Internal; ResourceExhausted for the
// workspace. REQUIRES: the handle's mutex is held.
void RunConvolution(Device& device, CudnnHandle& handle,
                    const ConvolutionPlan& plan,
                    const ConvolutionArrays& arrays);

// cuDNN's part of the plan as a call that can be timed alone, without our own
// kernel.
LibraryCall ConvolutionCall(Device& device,
                            std::shared_ptr<const ConvolutionPlan> plan);

}  // namespace lockstep::cuda

#endif  // LOCKSTEP_REFERENCE_KERNELS_CONVOLUTION_CUDA_CONVOLUTION_PLAN_H_
