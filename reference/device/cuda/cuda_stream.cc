#include "reference/device/cuda/cuda_stream.h"

#include "reference/device/cuda/check_cuda.h"

namespace lockstep {

CudaStream::CudaStream() {
  CheckCuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking),
            "[CudaStream] create");
}

// Fails only when the whole device has failed, which others report.
CudaStream::~CudaStream() { cudaStreamDestroy(stream_); }

void CudaStream::Synchronize() const {
  CheckCuda(cudaStreamSynchronize(stream_), "[CudaStream] synchronize");
}

void CudaStream::WaitFor(const CudaEvent& event) const {
  CheckCuda(cudaStreamWaitEvent(stream_, event.get(), 0),
            "[CudaStream] wait for an event");
}

}  // namespace lockstep
