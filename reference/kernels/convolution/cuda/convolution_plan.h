// The plan of a convolution: an engine of cuDNN's and what is done around it.
//
// Chosen once for each signature and logical device. Candidates are cuDNN's
// engines in its heuristics' order: first those that do bias and ReLU
// themselves, then those that leave ReLU, then bias too, to a kernel of our own
// behind them. None is taken before it has run once. Of an engine that does
// ReLU itself that run is on NaN and shows that NaN comes out: the kernels'
// contract wants it, and cuDNN is asked for it but does not promise it.
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

// x, filter and y or their gradients, the filter as [O, H, W, I]; the pass says
// which one is written. `bias` may be nullptr.
struct ConvolutionArrays {
  void* x = nullptr;
  void* filter = nullptr;
  void* y = nullptr;
  void* bias = nullptr;
};

struct ConvolutionPlan {
  std::shared_ptr<const ConvolutionGraph> graph;  // the engine's
  std::unique_ptr<EnginePlan> engine;
  kernels_internal::ConvolutionSignature signature;  // what the engine runs
  bool bias_behind = false;                          // by our own kernel
  bool relu_behind = false;
};

// The plan for `signature` on `device`, from its cache; `arrays`, the output
// among them, are used by runs that decide. While the device's stream is
// captured into a graph nothing can be tried: then the first plan without a
// ReLU of its own is taken, untried, and not kept.
// Errors: Unimplemented where cuDNN has no engine; Internal; ResourceExhausted.
// REQUIRES: the handle's mutex is held; padding is the same in front and
// behind.
std::shared_ptr<const ConvolutionPlan> PlanConvolution(
    Device& device, CudnnHandle& handle,
    const kernels_internal::ConvolutionSignature& signature,
    const ConvolutionArrays& arrays);

// Enqueues what is cuDNN's of the plan's run; y is float32 where the plan's
// signature is wide. Errors and REQUIRES as below.
void RunEngine(Device& device, CudnnHandle& handle, const ConvolutionPlan& plan,
               const ConvolutionArrays& arrays);

// Enqueues the plan's run. Errors: Internal; ResourceExhausted for the
// workspace. REQUIRES: the handle's mutex is held.
void RunConvolution(Device& device, CudnnHandle& handle,
                    const ConvolutionPlan& plan,
                    const ConvolutionArrays& arrays);

// The plan's run in cuDNN as a call to be timed alone, without what a kernel of
// our own does behind it.
LibraryCall ConvolutionCall(Device& device,
                            std::shared_ptr<const ConvolutionPlan> plan);

}  // namespace lockstep::cuda

#endif  // LOCKSTEP_REFERENCE_KERNELS_CONVOLUTION_CUDA_CONVOLUTION_PLAN_H_
