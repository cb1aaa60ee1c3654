// A pass of a layer that is prepared and can be queued again and again.
#ifndef LOCKSTEP_BENCHMARKS_MICRO_LAYERS_LAYER_RUN_H_
#define LOCKSTEP_BENCHMARKS_MICRO_LAYERS_LAYER_RUN_H_

#include <functional>
#include <vector>

#include "reference/tensor/tensor.h"

namespace lockstep::benchmarks {

// Queues the pass once and gives its results: of a forward pass {y}, of batch
// normalization {y, mean}; of a backward pass {dx}, of batch normalization {dx,
// gradient of gamma, gradient of beta}.
using LayerRun = std::function<std::vector<Tensor>()>;

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_MICRO_LAYERS_LAYER_RUN_H_
