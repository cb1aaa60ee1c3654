// For tests: blocks a GPU's compute stream until it is opened.
//
//   StreamGate gate(gpu());
//   ... work that is queued now does not run ...
//   gate.Open();
#ifndef LOCKSTEP_REFERENCE_DEVICE_CUDA_STREAM_GATE_H_
#define LOCKSTEP_REFERENCE_DEVICE_CUDA_STREAM_GATE_H_

#include <cuda_runtime_api.h>

#include <atomic>

#include "reference/device/cuda/check_cuda.h"
#include "reference/device/cuda/cuda_memory.h"

namespace lockstep {

class StreamGate {
 public:
  explicit StreamGate(const Device& device)
      : stream_(CudaMemory::Of(device).stream()) {
    CheckCuda(cudaLaunchHostFunc(
                  stream_.get(),
                  [](void* open) {
                    static_cast<std::atomic<bool>*>(open)->wait(false);
                  },
                  &open_),
              "[StreamGate] close");
  }
  // Waits, because the stream's function reads the flag.
  ~StreamGate() {
    Open();
    cudaStreamSynchronize(stream_.get());
  }
  StreamGate(const StreamGate&) = delete;
  StreamGate& operator=(const StreamGate&) = delete;

  void Open() {
    open_ = true;
    open_.notify_all();
  }

 private:
  const CudaStream& stream_;
  std::atomic<bool> open_ = false;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DEVICE_CUDA_STREAM_GATE_H_
