// The same layers by cuDNN, where the program is built with CUDA.
#ifndef LOCKSTEP_BENCHMARKS_MICRO_LAYERS_CUDNN_LAYER_H_
#define LOCKSTEP_BENCHMARKS_MICRO_LAYERS_CUDNN_LAYER_H_

#include <string>

#include "benchmarks/micro/layers/layer_inputs.h"
#include "benchmarks/micro/layers/layer_run.h"
#include "benchmarks/micro/layers/layer_work.h"
#include "reference/device/device.h"
#include "reference/device/device_kernel.h"

namespace lockstep::benchmarks {

// Like OwnLayer; `way` is one of CudnnWaysOf(work).
// Errors: Unimplemented for what cuDNN says it has not, here or from a run.
inline constinit DeviceKernel<LayerRun(
    const LayerWork& work, const LayerInputs& inputs, const std::string& way)>
    CudnnLayer{"CudnnLayer"};

// "cuDNN 9.19.0, NVIDIA H100 80GB HBM3".
inline constinit DeviceKernel<std::string(const Device& device)> DescribeCudnn{
    "DescribeCudnn"};

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_MICRO_LAYERS_CUDNN_LAYER_H_
