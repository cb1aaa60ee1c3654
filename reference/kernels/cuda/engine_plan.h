// One way of running a graph of cuDNN's: an engine, made ready.
#ifndef LOCKSTEP_REFERENCE_KERNELS_CUDA_ENGINE_PLAN_H_
#define LOCKSTEP_REFERENCE_KERNELS_CUDA_ENGINE_PLAN_H_

#include <cudnn.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "reference/kernels/cuda/backend_descriptor.h"

namespace lockstep::cuda {

// The graph's tensors: tensor ids[i] lies at pointers[i].
struct GraphTensors {
  std::vector<int64_t> ids;
  std::vector<void*> pointers;
};

// The engine that a configuration is of; nullopt where the library does not
// tell. Errors: ResourceExhausted.
std::optional<BackendDescriptor> EngineOf(const BackendDescriptor& config);

class EnginePlan {
 public:
  // Errors: Internal where the engine turns out not to support the graph;
  // ResourceExhausted.
  EnginePlan(cudnnHandle_t handle, BackendDescriptor config);

  // The library's number of the engine, for people; -1 where it does not tell.
  int64_t engine() const { return engine_; }
  // Bytes of scratch memory that a run needs.
  int64_t workspace_bytes() const { return workspace_bytes_; }
  // Queues a run in the handle's stream. Errors: Internal.
  void Run(cudnnHandle_t handle, const GraphTensors& tensors,
           void* workspace) const;

 private:
  BackendDescriptor config_;  // the plan's
  BackendDescriptor plan_;
  int64_t workspace_bytes_ = 0;
  int64_t engine_ = -1;
};

}  // namespace lockstep::cuda

#endif  // LOCKSTEP_REFERENCE_KERNELS_CUDA_ENGINE_PLAN_H_
