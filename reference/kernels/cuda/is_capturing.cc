#include "reference/kernels/cuda/is_capturing.h"

#include "reference/device/cuda/check_cuda.h"

namespace lockstep::cuda {

bool IsCapturing(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  CheckCuda(cudaStreamIsCapturing(stream, &status), "[IsCapturing]");
  return status != cudaStreamCaptureStatusNone;
}

}  // namespace lockstep::cuda
