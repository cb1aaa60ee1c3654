#include "reference/device/cuda/cuda_event.h"

#include "reference/device/cuda/check_cuda.h"
#include "reference/device/cuda/cuda_stream.h"

namespace lockstep {

CudaEvent::CudaEvent(Timing timing) {
  const unsigned flags =
      timing == Timing::kYes ? cudaEventDefault : cudaEventDisableTiming;
  CheckCuda(cudaEventCreateWithFlags(&event_, flags), "[CudaEvent] create");
}

// Fails only when the whole device has failed, which others report.
CudaEvent::~CudaEvent() { cudaEventDestroy(event_); }

void CudaEvent::Record(const CudaStream& stream) {
  CheckCuda(cudaEventRecord(event_, stream.get()), "[CudaEvent] record");
}

void CudaEvent::Synchronize() const {
  CheckCuda(cudaEventSynchronize(event_), "[CudaEvent] wait");
}

float CudaEvent::MillisecondsSince(const CudaEvent& earlier) const {
  float milliseconds = 0;
  CheckCuda(cudaEventElapsedTime(&milliseconds, earlier.event_, event_),
            "[CudaEvent] elapsed time");
  return milliseconds;
}

}  // namespace lockstep
