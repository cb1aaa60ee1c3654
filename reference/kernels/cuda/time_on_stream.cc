#include "reference/kernels/cuda/time_on_stream.h"

#include "reference/device/cuda/check_cuda.h"
#include "reference/device/cuda/cuda_event.h"

namespace lockstep::cuda {

double SecondsOnStream(cudaStream_t stream, const std::function<void()>& run) {
  constexpr char kName[] = "[SecondsOnStream]";
  constexpr int kRuns = 5;
  run();
  const CudaEvent begin(CudaEvent::Timing::kYes);
  const CudaEvent end(CudaEvent::Timing::kYes);
  CheckCuda(cudaEventRecord(begin.get(), stream), kName);
  for (int i = 0; i < kRuns; ++i) run();
  CheckCuda(cudaEventRecord(end.get(), stream), kName);
  end.Synchronize();
  return end.MillisecondsSince(begin) / 1e3 / kRuns;
}

bool IsCapturing(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  CheckCuda(cudaStreamIsCapturing(stream, &status), "[IsCapturing]");
  return status != cudaStreamCaptureStatusNone;
}

}  // namespace lockstep::cuda
