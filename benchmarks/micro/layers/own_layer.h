// The layers as training has them: our own kernels, with what surrounds them in
// a layer. Batch normalization of 16-bit numbers is that of float32 between two
// casts, as in the layer.
#ifndef LOCKSTEP_BENCHMARKS_MICRO_LAYERS_OWN_LAYER_H_
#define LOCKSTEP_BENCHMARKS_MICRO_LAYERS_OWN_LAYER_H_

#include "benchmarks/micro/layers/layer_inputs.h"
#include "benchmarks/micro/layers/layer_run.h"
#include "benchmarks/micro/layers/layer_work.h"

namespace lockstep::benchmarks {

// On the device of the inputs. A backward pass's forward pass is run here.
LayerRun OwnLayer(const LayerWork& work, const LayerInputs& inputs);

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_MICRO_LAYERS_OWN_LAYER_H_
