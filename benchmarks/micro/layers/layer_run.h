// A prepared pass of a layer, which can be queued repeatedly.
#ifndef LOCKSTEP_BENCHMARKS_MICRO_LAYERS_LAYER_RUN_H_
#define LOCKSTEP_BENCHMARKS_MICRO_LAYERS_LAYER_RUN_H_

#include <functional>
#include <string>
#include <vector>

#include "benchmarks/micro/layers/layer_work.h"
#include "reference/device/device.h"
#include "reference/device/device_kernel.h"
#include "reference/tensor/tensor.h"

namespace lockstep::benchmarks {

// Enqueues the pass once and gives its results: of a forward pass {y}, of batch
// normalization {y, mean}; of a backward pass {dx}, of batch normalization {dx,
// gradient of gamma, gradient of beta}.
using LayerRun = std::function<std::vector<Tensor>()>;

// The layers as in training: our own kernels with the layer's code around
// them. Batch normalization of 16-bit numbers is that of float32 between two
// casts, as in the layer.
// On the device of the inputs. A backward pass's forward pass is run here.
LayerRun OwnLayer(const LayerWork& work, const LayerInputs& inputs);

// The same layers by cuDNN, where the program is built with CUDA.
// Like OwnLayer; `way` is one of CudnnWaysOf(work).
// Errors: Unimplemented for what cuDNN does not support, here or from a run.
inline constinit DeviceKernel<LayerRun(
    const LayerWork& work, const LayerInputs& inputs, const std::string& way)>
    CudnnLayer{"CudnnLayer"};

// "cuDNN 9.19.0, NVIDIA H100 80GB HBM3".
inline constinit DeviceKernel<std::string(const Device& device)> DescribeCudnn{
    "DescribeCudnn"};

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_MICRO_LAYERS_LAYER_RUN_H_
