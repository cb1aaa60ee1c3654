// Inputs of a layer that make two implementations comparable: whole numbers and
// quarters that bfloat16 holds, sums that float32 holds exactly, and no two
// equal elements in a window of a max pooling, where either could win.
#ifndef LOCKSTEP_BENCHMARKS_MICRO_LAYERS_LAYER_INPUTS_H_
#define LOCKSTEP_BENCHMARKS_MICRO_LAYERS_LAYER_INPUTS_H_

#include "benchmarks/micro/layers/layer_work.h"
#include "reference/device/device.h"
#include "reference/tensor/tensor.h"

namespace lockstep::benchmarks {

struct LayerInputs {
  Tensor x;
  Tensor dy;           // the result's gradient
  Tensor gamma, beta;  // of batch normalization, in float32
};

// On `device`; the same ones for both passes.
LayerInputs MakeLayerInputs(const LayerWork& work, Device& device);

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_MICRO_LAYERS_LAYER_INPUTS_H_
