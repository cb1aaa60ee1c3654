// One way of running a graph of cuDNN's: an engine, made ready.
#ifndef LOCKSTEP_REFERENCE_KERNELS_CUDA_ENGINE_PLAN_H_
#define LOCKSTEP_REFERENCE_KERNELS_CUDA_ENGINE_PLAN_H_

#include <cudnn.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "reference/kernels/cuda/backend_descriptor.h"

namespace lockstep::cuda {

// The graph's tensors: tensor ids[i] lies at pointers[i].
struct GraphTensors {
  std::vector<int64_t> ids;
  std::vector<void*> pointers;
};

class EnginePlan {
 public:
  // nullptr where the engine turns out not to support the graph.
  static std::unique_ptr<EnginePlan> Make(cudnnHandle_t handle,
                                          BackendDescriptor config);

  // Bytes of scratch memory that a run needs.
  int64_t workspace_bytes() const { return workspace_bytes_; }
  // Queues a run in the handle's stream. Errors: Internal.
  void Run(cudnnHandle_t handle, const GraphTensors& tensors,
           void* workspace) const;

 private:
  EnginePlan(BackendDescriptor config, BackendDescriptor plan);

  BackendDescriptor config_;  // the plan's
  BackendDescriptor plan_;
  int64_t workspace_bytes_;
};

}  // namespace lockstep::cuda

#endif  // LOCKSTEP_REFERENCE_KERNELS_CUDA_ENGINE_PLAN_H_
