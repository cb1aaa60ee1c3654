#include "reference/kernels/cuda/try_plan.h"

#include <algorithm>
#include <cmath>

#include "reference/base/error.h"
#include "reference/device/cuda/check_cuda.h"
#include "reference/device/cuda/cuda_memory.h"
#include "reference/tensor/tensor.h"

namespace lockstep::cuda {
namespace {

constexpr int64_t kMostWorkspace = int64_t{1} << 30;  // bytes
constexpr int64_t kLook = 4096;                       // elements

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
  const size_t bytes = static_cast<size_t>(count) * DTypeSize(dtype);
  BufferPtr buffer = Buffer::Allocate(device, bytes);
  // All bits set are a NaN in every floating type.
  CheckCuda(cudaMemsetAsync(buffer->data(), 0xff, bytes, StreamOf(device)),
            "[NaNs]");
  return buffer;
}

bool BeginsWithNaNs(Device& device, const void* data, int64_t count,
                    DType dtype) {
  const Shape shape{std::min(count, kLook)};
  Tensor seen = Tensor::Empty(shape, dtype, Device::Host());
  CudaMemory::Of(device).CopyToHost(seen.mutable_raw_data(), data,
                                    seen.bytes());
  const std::vector<double> values =
      seen.Cast(DType::kFloat64).ToVector<double>();
  return std::ranges::all_of(values,
                             [](double value) { return std::isnan(value); });
}

}  // namespace lockstep::cuda
