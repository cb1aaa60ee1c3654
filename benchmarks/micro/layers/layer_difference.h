// Whether two implementations of a layer computed the same.
//
//   LayerDifference(work, own(), cudnn());
//   // "", or "result 0: 1.5 instead of 2 at element 7, more than 3e-05 of the
//   // largest, 3"
#ifndef LOCKSTEP_BENCHMARKS_MICRO_LAYERS_LAYER_DIFFERENCE_H_
#define LOCKSTEP_BENCHMARKS_MICRO_LAYERS_LAYER_DIFFERENCE_H_

#include <string>
#include <vector>

#include "benchmarks/micro/layers/layer_work.h"
#include "reference/tensor/tensor.h"

namespace lockstep::benchmarks {

// How far results of `dtype` may be apart, as a part of the largest magnitude
// that a result has. Of the inputs that MakeLayerInputs makes.
double LayerTolerance(const LayerWork& work, DType dtype);

// What is wrong with `actual`; "" for nothing. A NaN is always wrong.
std::string LayerDifference(const LayerWork& work,
                            const std::vector<Tensor>& wanted,
                            const std::vector<Tensor>& actual);

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_MICRO_LAYERS_LAYER_DIFFERENCE_H_
