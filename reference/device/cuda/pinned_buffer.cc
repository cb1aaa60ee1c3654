#include "reference/device/cuda/pinned_buffer.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "reference/device/cuda/check_cuda.h"

namespace lockstep {

PinnedBuffer::PinnedBuffer(size_t bytes) : bytes_(bytes) {
  // Portable: any GPU may copy from and to it.
  CheckCuda(cudaHostAlloc(&data_, bytes, cudaHostAllocPortable),
            fmt::format("[PinnedBuffer] {} bytes", bytes));
}

// Fails only when the whole device has failed, which others report.
PinnedBuffer::~PinnedBuffer() { cudaFreeHost(data_); }

}  // namespace lockstep
