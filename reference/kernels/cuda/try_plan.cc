#include "reference/kernels/cuda/try_plan.h"

#include <algorithm>
#include <cmath>

#include "reference/base/error.h"
#include "reference/device/cuda/check_cuda.h"
#include "reference/device/cuda/cuda_memory.h"
#include "reference/tensor/tensor.h"

namespace lockstep::cuda {

bool IsCapturing(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  CheckCuda(cudaStreamIsCapturing(stream, &status), "[IsCapturing]");
  return status != cudaStreamCaptureStatusNone;
}

namespace {

constexpr int64_t kMostWorkspace = int64_t{1} << 30;  // bytes
constexpr int64_t kLook = 4096;                       // elements

// `count` elements whose bytes are all `byte`.
BufferPtr Repeated(Device& device, int64_t count, DType dtype, uint8_t byte) {
  const size_t bytes = static_cast<size_t>(count) * DTypeSize(dtype);
  BufferPtr buffer = Buffer::Allocate(device, bytes);
  CheckCuda(cudaMemsetAsync(buffer->data(), byte, bytes, StreamOf(device)),
            "[Repeated]");
  return buffer;
}

}  // namespace

bool HasRoom(Device& device, int64_t bytes) {
  if (bytes > kMostWorkspace) return false;
  try {
    Buffer::Allocate(device, static_cast<size_t>(bytes));
    return true;
  } catch (const Error& error) {
    if (error.code() != Code::kResourceExhausted) throw;
    return false;
  }
}

BufferPtr NaNs(Device& device, int64_t count, DType dtype) {
  // All bits set is a NaN in every floating type.
  return Repeated(device, count, dtype, 0xff);
}

BufferPtr Ordinary(Device& device, int64_t count, DType dtype) {
  // About 0.011 in float32 and bfloat16, 1.06 in float16.
  return Repeated(device, count, dtype, 0x3c);
}

bool BeginsWithNaNs(Device& device, const void* data, int64_t count,
                    DType dtype) {
  const Shape shape{std::min(count, kLook)};
  Tensor seen = Tensor::Empty(shape, dtype, Device::Host());
  device.memory()->CopyToHost(seen.mutable_raw_data(), data, seen.bytes());
  const std::vector<double> values =
      seen.Cast(DType::kFloat64).ToVector<double>();
  return std::ranges::all_of(values,
                             [](double value) { return std::isnan(value); });
}

}  // namespace lockstep::cuda
