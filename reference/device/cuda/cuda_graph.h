// Captured work as a CUDA graph.
//
// The capture is relaxed: of the two modes that forbid calls, global would fail
// other threads that allocate or copy meanwhile (input, NCCL's), thread-local
// the growth of a pool on a replica's thread; what must not be called is
// refused by DeviceMemory, with a better error.
#ifndef LOCKSTEP_REFERENCE_DEVICE_CUDA_CUDA_GRAPH_H_
#define LOCKSTEP_REFERENCE_DEVICE_CUDA_CUDA_GRAPH_H_

#include <cuda_runtime_api.h>

#include <atomic>
#include <memory>
#include <span>
#include <vector>

#include "reference/device/cuda/cuda_event.h"
#include "reference/device/cuda/cuda_memory.h"
#include "reference/device/graph_capture.h"

namespace lockstep {

// One graph over the queues of some logical GPUs, on one GPU or on several.
class CudaGraph final : public DeviceGraph {
 public:
  // Makes `graph` executable. Errors: Internal; ResourceExhausted.
  CudaGraph(cudaGraph_t graph, std::vector<CudaMemory*> queues);
  // What still runs of it ends first, without anybody waiting.
  ~CudaGraph() override;
  CudaGraph(const CudaGraph&) = delete;
  CudaGraph& operator=(const CudaGraph&) = delete;

  // In the first queue; the others wait for it, as it waits for them.
  void Launch() override;

 private:
  const std::vector<CudaMemory*> queues_;
  std::vector<std::unique_ptr<CudaEvent>> ready_;  // one a queue
  cudaGraphExec_t executable_ = nullptr;
};

class CudaGraphCapture final : public GraphCapture {
 public:
  // REQUIRES: at least one device, all of the CUDA backend's.
  static std::unique_ptr<CudaGraphCapture> Begin(
      std::span<Device* const> devices);
  ~CudaGraphCapture() override;

  // Whether anything is captured now, on any thread.
  static bool IsAnyUnderWay() { return under_way_ > 0; }

  std::unique_ptr<DeviceGraph> End() override;

 private:
  explicit CudaGraphCapture(std::vector<CudaMemory*> queues);
  void Fork() const;
  void Join() const;
  cudaError_t Stop(cudaGraph_t* graph);

  const std::vector<CudaMemory*> queues_;
  const cudaStream_t origin_;  // the first queue's
  bool capturing_ = false;
  static inline std::atomic<int> under_way_ = 0;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DEVICE_CUDA_CUDA_GRAPH_H_
