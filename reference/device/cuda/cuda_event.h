// A point in a stream that others can wait for, or measure from.
#ifndef LOCKSTEP_REFERENCE_DEVICE_CUDA_CUDA_EVENT_H_
#define LOCKSTEP_REFERENCE_DEVICE_CUDA_CUDA_EVENT_H_

#include <cuda_runtime_api.h>

namespace lockstep {

class CudaStream;

// Errors of all: Internal. REQUIRES: the thread's current GPU is the stream's.
class CudaEvent {
 public:
  enum class Timing { kNo, kYes };

  explicit CudaEvent(Timing timing = Timing::kNo);
  ~CudaEvent();
  CudaEvent(const CudaEvent&) = delete;
  CudaEvent& operator=(const CudaEvent&) = delete;

  // Marks the end of what the stream has been given by now.
  void Record(const CudaStream& stream);
  // Waits until the mark is reached; returns at once without a mark.
  void Synchronize() const;
  // Milliseconds between two reached marks, this one the later.
  // REQUIRES: both were made for timing.
  float MillisecondsSince(const CudaEvent& earlier) const;

  cudaEvent_t get() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DEVICE_CUDA_CUDA_EVENT_H_
