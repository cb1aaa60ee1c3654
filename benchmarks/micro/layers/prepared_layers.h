// Layers with their inputs on one device, ready to be timed; cuDNN's only where
// it computes what ours do.
//
//   PreparedLayers layers(gpu);
//   LayerRun run = layers.Prepare(work, kCudnn);   // Internal if it is wrong
#ifndef LOCKSTEP_BENCHMARKS_MICRO_LAYERS_PREPARED_LAYERS_H_
#define LOCKSTEP_BENCHMARKS_MICRO_LAYERS_PREPARED_LAYERS_H_

#include <map>
#include <string>
#include <vector>

#include "benchmarks/micro/layers/layer_run.h"
#include "benchmarks/micro/layers/layer_work.h"
#include "reference/device/device.h"
#include "reference/tensor/tensor.h"

namespace lockstep::benchmarks {

// The tolerance for results of `dtype`, relative to the largest magnitude of a
// result, for inputs of MakeLayerInputs.
double LayerTolerance(const LayerWork& work, DType dtype);

// Whether two implementations of a layer computed the same.
//
//   LayerDifference(work, own(), cudnn());
//   // "", or "result 0: 1.5 instead of 2 at element 7, more than 3e-05 of the
//   // largest, 3"
//
// What is wrong with `actual`; "" for nothing. A NaN is always wrong.
std::string LayerDifference(const LayerWork& work,
                            const std::vector<Tensor>& wanted,
                            const std::vector<Tensor>& actual);

// Keeps the inputs of all runs that were requested: 1.6 GB for
// WorkloadLayers().
class PreparedLayers {
 public:
  explicit PreparedLayers(Device& device) : device_(device) {}

  // `by` is kOwn or one of CudnnWaysOf(work). Each way's results are compared
  // with ours on first use.
  // Errors: Internal, each time, where they differ; Unimplemented for what
  // cuDNN does not support.
  LayerRun Prepare(const LayerWork& work, const std::string& by);

 private:
  // Both passes have the same ones.
  const LayerInputs& InputsOf(LayerWork work);

  Device& device_;
  std::map<std::string, LayerInputs> inputs_;       // by entry name
  std::map<std::string, std::string> differences_;  // by entry name
};

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_MICRO_LAYERS_PREPARED_LAYERS_H_
